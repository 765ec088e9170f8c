"""The line to the daemon: one question, one answer, or an error within the deadline."""

from __future__ import annotations

import os
import shutil
import socket
import threading
import time
from pathlib import Path

import pytest

from marrow.capture import line, where
from marrow.capture.line import ask, is_there
from marrow.model.errors import Unavailable

from .fake_daemon import Answer, daemon, hanging, refusing, telling

SHORT, LONG = 0.05, 30.0


@pytest.fixture
def home(tmp_path: Path) -> str:
    return str(tmp_path / "h")


def test_question_and_answer(home: str) -> None:
    with daemon(home, telling("we deploy blue")) as asked:
        assert ask("marrow/hook", {"event": "prompt"}, LONG, home=home) == {"context": "we deploy blue"}
    assert asked == [{"jsonrpc": "2.0", "id": 1, "method": "marrow/hook", "params": {"event": "prompt"}}]


def test_the_version_of_the_client_is_said_where_it_matters(home: str) -> None:
    with daemon(home, telling("x")) as asked:
        ask("marrow/hook", {}, LONG, home=home, version="9.1")
    assert asked[0]["client"] == "9.1"


def test_long_questions_and_answers_come_whole(home: str) -> None:
    with daemon(home, telling("é" * 400_000)) as asked:
        assert ask("marrow/hook", {"text": "ü" * 300_000}, LONG, home=home) == {"context": "é" * 400_000}
    assert asked[0]["params"] == {"text": "ü" * 300_000}


def test_no_daemon_is_an_error_at_once(home: str) -> None:
    with pytest.raises(FileNotFoundError):
        ask("marrow/ping", {}, LONG, home=home)
    assert not is_there(home=home)


def test_socket_that_a_dead_daemon_left_behind_is_an_error_at_once(home: str) -> None:
    where.make(where.run(home))
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(where.socket(home))
    with pytest.raises(ConnectionRefusedError):
        ask("marrow/ping", {}, LONG, home=home)
    assert not is_there(home=home)


def test_daemon_that_never_answers_is_a_timeout(home: str) -> None:
    with daemon(home, hanging), pytest.raises(TimeoutError):
        ask("marrow/ping", {}, SHORT, home=home)


def test_daemon_that_answers_in_drops_is_a_timeout_too(home: str) -> None:
    """Each drop is in time; all of them together are not."""
    where.make(where.run(home))
    done = threading.Event()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(where.socket(home))
        listener.listen()

        def drip() -> None:
            connection, _ = listener.accept()
            with connection:
                while not done.wait(0.005):
                    try:
                        connection.sendall(b" ")
                    except OSError:
                        return

        server = threading.Thread(target=drip)
        server.start()
        with pytest.raises(TimeoutError):
            ask("marrow/ping", {}, SHORT, home=home)
        done.set()
        server.join()


@pytest.mark.parametrize("answer", [b"no json\n", b"[]\n", b"", b'{"result":'])
def test_answer_that_is_none_is_an_error(home: str, answer: bytes) -> None:
    given: Answer = lambda _request: answer  # noqa: E731 a name for a type
    with daemon(home, given), pytest.raises(ConnectionAbortedError):
        ask("marrow/ping", {}, LONG, home=home)


def test_refusal_is_told(home: str) -> None:
    with daemon(home, refusing(-32603, "the store is locked")), pytest.raises(Unavailable, match="the store is locked"):
        ask("marrow/status", {}, LONG, home=home)


def test_daemon_that_gives_way_counts_as_gone(home: str) -> None:
    with daemon(home, refusing(line.REPLACED, "replaced")), pytest.raises(ConnectionResetError):
        ask("marrow/hook", {}, LONG, home=home, version="9.9")


def test_home_that_is_too_long_for_a_socket_has_it_elsewhere(tmp_path: Path) -> None:
    home = str(tmp_path / ("long" * 30))
    path = where.socket(home)
    assert len(os.fsencode(path)) <= 108
    try:
        with daemon(home, telling("x")):
            assert ask("marrow/ping", {}, LONG, home=home) == {"context": "x"}
            os.chmod(os.path.dirname(path), 0o755)
            with pytest.raises(PermissionError):
                ask("marrow/ping", {}, LONG, home=home)
    finally:
        shutil.rmtree(os.path.dirname(path), ignore_errors=True)


def test_without_unix_sockets_a_port_and_a_token_serve(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    got = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection, connection.makefile("rb") as lines:
                got.extend([lines.readline(), lines.readline()])
                connection.sendall(b'{"jsonrpc":"2.0","id":1,"result":{"pid":4}}\n')

        server = threading.Thread(target=serve)
        server.start()
        where.make(where.run(home))
        Path(where.port(home)).write_text(f"{listener.getsockname()[1]} s3same\n")
        monkeypatch.delattr(line._socket, "AF_UNIX")
        assert ask("marrow/ping", {}, LONG, home=home) == {"pid": 4}
        server.join()
    assert got[0] == b"s3same\n"
    assert got[1].startswith(b'{"jsonrpc"')


@pytest.mark.parametrize("text", ["", "x y", "80", "notaport token"])
def test_port_file_that_says_nothing_is_no_daemon(home: str, text: str) -> None:
    where.make(where.run(home))
    Path(where.port(home)).write_text(text)
    with pytest.raises(ConnectionRefusedError):
        line._connect_by_port(home, time.monotonic() + LONG)
