"""The reader of shell scripts."""

from __future__ import annotations

from marrow.codemap.parse import map_of

from .maps import chains, kinds, leads, symbol

SOURCE = b"""#!/bin/bash
source ./lib/x.sh
. "$DIR/lib/y.sh"

# Says hello.
hello() {
  local x=1
  say "$x" | tee out
  if ready; then y=$(made 1); fi
}
function say { echo "$1"; }
readonly MAX=3
NAME=x
trap tidy EXIT
"$command" a
"""


def test_functions_and_variables_of_the_script_are_symbols() -> None:
    found = map_of("a.sh", SOURCE)
    assert kinds(found) == {"hello": "function", "say": "function", "MAX": "constant", "NAME": "variable"}
    hello = symbol(found, "hello")
    assert hello.signature == "hello()"
    assert hello.doc == "Says hello."
    assert (hello.start, hello.end) == (6, 10)


def test_words_of_commands_are_calls_but_not_what_the_shell_itself_does() -> None:
    assert chains(map_of("a.sh", SOURCE)) == {"say", "tee", "ready", "made", "tidy"}


def test_what_is_sourced_is_found_beside_the_script_or_by_the_end_of_its_path() -> None:
    found = leads(
        {
            "bin/run.sh": '. "$ROOT/lib/say.sh"\nsource ./near.sh\nsay hello\nnear\nrm x\n',
            "bin/near.sh": "near() { :; }\n",
            "lib/say.sh": "say() { :; }\n",
        }
    )
    assert found == {("bin/run.sh", "say"): "lib/say.sh:say", ("bin/run.sh", "near"): "bin/near.sh:near"}
