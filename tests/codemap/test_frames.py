"""Stack traces in text: the frames of five languages, from the outermost call to the innermost."""

from __future__ import annotations

import pytest

from marrow.codemap.frames import Frame, stacks

PYTHON = """before
Traceback (most recent call last):
  File "/srv/app/main.py", line 10, in <module>
    main()
  File "/srv/app/main.py", line 7, in main
    store.close()
  File "/srv/app/store.py", line 22, in close
    raise ValueError
ValueError
"""
NODE = """Error: it broke
    at Store.close (/srv/app/store.js:22:11)
    at async main (/srv/app/main.ts:7:3)
    at file:///srv/app/run.mjs:3:1
"""
JAVA = """Exception in thread "main" java.lang.IllegalStateException: closed
\tat org.shop.Store.close(Store.java:22)
\tat org.shop.Main.main(Main.java:7)
"""
GO = """panic: it broke

goroutine 1 [running]:
shop/store.(*Store).Close(0xc000010000)
\t/srv/app/store/store.go:22 +0x1d
main.main()
\t/srv/app/main.go:7 +0x2a
exit status 2
"""
RUST = """thread 'main' panicked at src/store.rs:22:9:
stack backtrace:
   0: rust_begin_unwind
             at /rustc/abc/library/std/src/panicking.rs:645:5
   1: shop::store::Store::close
             at ./src/store.rs:22:9
   2: shop::main
             at ./src/main.rs:7:5
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            PYTHON,
            [
                Frame("/srv/app/main.py", 10, "<module>"),
                Frame("/srv/app/main.py", 7, "main"),
                Frame("/srv/app/store.py", 22, "close"),
            ],
        ),
        (
            NODE,
            [
                Frame("/srv/app/run.mjs", 3, ""),
                Frame("/srv/app/main.ts", 7, "main"),
                Frame("/srv/app/store.js", 22, "close"),
            ],
        ),
        (JAVA, [Frame("Main.java", 7, "main"), Frame("Store.java", 22, "close")]),
        (GO, [Frame("/srv/app/main.go", 7, "main"), Frame("/srv/app/store/store.go", 22, "Close")]),
        (
            RUST,
            [
                Frame("./src/main.rs", 7, "main"),
                Frame("./src/store.rs", 22, "close"),
                Frame("/rustc/abc/library/std/src/panicking.rs", 645, "rust_begin_unwind"),
            ],
        ),
    ],
    ids=["python", "node", "java", "go", "rust"],
)
def test_the_frames_of_a_trace(text: str, expected: list[Frame]) -> None:
    assert stacks(text) == [expected]


def test_two_python_traces_are_two_stacks() -> None:
    assert len(stacks(PYTHON + "\nDuring handling of the above exception:\n\n" + PYTHON)) == 2


def test_plain_text_has_no_stack() -> None:
    assert stacks("nothing at all\nat home (or not): 3:4\n") == []
