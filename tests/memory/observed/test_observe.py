"""Observations of edits, commands and other tools; and what is none."""

from __future__ import annotations

from typing import Any

import pytest

from marrow.memory.observed import observe as module
from marrow.memory.observed.depths import depths
from marrow.memory.observed.observation import Observation, content
from marrow.memory.observed.observe import Known, failure_of, observe

from . import outputs
from .traces import CWD, edit, failed, shell, tool, trace, write


def one(*traces: dict[str, Any]) -> Observation:
    (found,) = observe(traces)
    return found


def test_an_edit_says_which_file_which_function_and_what_changed() -> None:
    head = "def total(items):\n    return sum(items)"
    found = one(edit("src/cart.py", head + "\n", head + " + TIP\n"))
    assert found.title == "Edited src/cart.py: total (+1 −1)"
    assert "`return sum(items)` → `return sum(items) + TIP`" in found.summary
    assert found.files == ("src/cart.py",)
    assert found.names == ("total",)
    assert (found.tool, found.does, found.outcome, found.turn) == ("Edit", "edit", "ok", "t1")
    assert found.before > 0
    assert found.after == len(found.title) + len(found.summary) + len(found.detail)


def test_the_hosts_patch_is_read_before_the_texts_of_an_edit() -> None:
    lines = [" class Cart:", "     def total(self):", "-        return 0", "+        return self.sum"]
    hunk = {"oldStart": 4, "lines": lines}
    line = edit("src/cart.py", "return 0", "return self.sum")
    line["output"]["structuredPatch"] = [hunk]
    assert one(line).names == ("total",)


DEFINITIONS = {
    "a.py": ("async def fetch_all(urls):", "fetch_all"),
    "a.ts": ("export const useCart = (items: Item[]) => {", "useCart"),
    "b.ts": ("export default async function loadCart(id) {", "loadCart"),
    "a.go": ("func (c *Cart) Total() int {", "Total"),
    "a.rs": ("    pub(crate) async fn total(&self) -> u32 {", "total"),
    "a.java": ("    public static List<Item> itemsOf(Cart cart) {", "itemsOf"),
    "a.kt": ("    suspend fun total(): Int {", "total"),
    "a.rb": ("  def empty?", "empty?"),
    "a.php": ("    public function total(): int {", "total"),
    "a.cs": ("    internal sealed class CartStore {", "CartStore"),
    "a.c": ("static int cart_total(struct cart *c) {", "cart_total"),
    "a.sql": ("CREATE TABLE IF NOT EXISTS carts (", "carts"),
}


@pytest.mark.parametrize("path", DEFINITIONS)
def test_names_are_read_in_many_languages(path: str) -> None:
    line, name = DEFINITIONS[path]
    assert name in one(write(path, f"{line}\n    x = 1\n")).names


def test_edits_of_one_file_in_one_turn_are_one_observation() -> None:
    found = observe(
        [
            edit("src/cart.py", "a = 1", "a = 2"),
            tool("Read", "read", {"file_path": f"{CWD}/src/cart.py"}, "1\ta = 2"),
            edit("src/price.py", "p = 1", "p = 2"),
            edit("src/cart.py", "a = 2", "a = 3"),
            edit("src/cart.py", "b = 1", "b = 2", turn="t2"),
        ]
    )
    assert [(one.files, one.turn, len(one.trace_ids)) for one in found] == [
        (("src/cart.py",), "t1", 2),
        (("src/price.py",), "t1", 1),
        (("src/cart.py",), "t2", 1),
    ]
    assert "in 2 edits (+1 −1)" in found[0].summary
    assert "a = 2" not in found[0].detail
    assert "+ a = 3\n− a = 1" in found[0].detail


def test_a_patch_of_several_files_is_one_observation() -> None:
    patch = (
        "*** Begin Patch\n*** Update File: src/x.go\n@@ func Total(xs []int) int {\n-\treturn 0\n+\treturn sum(xs)\n"
        "*** Add File: src/y.go\n+func New() *Y { return &Y{} }\n*** End Patch"
    )
    found = one(tool("apply_patch", "edit", {"input": patch}, "Success."))
    assert found.files == ("src/x.go", "src/y.go")
    assert found.names == ("Total", "New")


OTHER_HOSTS = [
    ("replace", {"file_path": f"{CWD}/a.py", "old_string": "x = 1", "new_string": "x = 2"}, {"llmContent": "ok"}),
    ("edit", {"filePath": f"{CWD}/a.py", "oldString": "x = 1", "newString": "x = 2"}, "Edit applied"),
    ("afterFileEdit", {"file_path": "a.py", "edits": [{"old_string": "x = 1", "new_string": "x = 2"}]}, None),
    ("multi_replace", {"replacements": [{"filePath": "a.py", "oldString": "x = 1", "newString": "x = 2"}]}, "{}"),
]


@pytest.mark.parametrize(("name", "given", "output"), OTHER_HOSTS, ids=[row[0] for row in OTHER_HOSTS])
def test_edits_of_other_hosts_are_read_alike(name: str, given: Any, output: Any) -> None:
    assert one(tool(name, "edit", given, output)).title == "Edited a.py: x = 2 (+1 −1)"


def test_a_file_outside_the_folder_keeps_its_whole_path() -> None:
    line = tool("Edit", "edit", {"file_path": "/srv/other/a.py", "old_string": "x = 1", "new_string": "x = 2"}, {})
    assert one(line).files == ("/srv/other/a.py",)


def test_a_file_that_the_shell_writes_is_an_edit() -> None:
    found = one(shell("mkdir -p src && cat > src/conf.py <<'EOF'\nPORT = 8081\nEOF"))
    assert found.title == "Wrote src/conf.py: PORT = 8081 (1 line)"


def test_a_commit_is_known_by_its_subject() -> None:
    said = "[main 1a2b3c4] Add the tip to the total\n 2 files changed, 3 insertions(+), 1 deletion(-)\n"
    found = one(shell("git add -A && git commit -m 'Add the tip to the total'", said))
    assert found.title == "Commit: Add the tip to the total"
    assert "1a2b3c4 on main" in found.summary
    assert "2 files changed" in found.summary


@pytest.mark.parametrize(
    ("command", "where"),
    [
        ("cd ../other && git add -A && git commit -m 'Add the tip'", " in ../other"),
        ("(cd '../the other'; git commit -m 'Add the tip')", " in ../the other"),
        ("cd /home/ada/other && git commit -m 'Add the tip'", " in /home/ada/other"),
        ("git -C ../other commit -m 'Add the tip'", " in ../other"),
        ("cd ../other && make && cd - && git commit -m 'Add the tip'", ""),
        ("cd ../other && git pull && cd ../shop && git commit -m 'Add the tip'", ""),
        ("git fetch && cd ../other && git commit -m 'Add the tip'", " in ../other"),
        ("cd src && git commit -m 'Add the tip'", ""),
        (f"cd {CWD} && git commit -m 'Add the tip'", ""),
        (f"cd {CWD}/src/.. && git commit -m 'Add the tip'", ""),
        ("cd .. && git commit -m 'Add the tip'", ""),
        ("cd \"$ROOT\" && git commit -m 'Add the tip'", ""),
        ("git commit -m 'Add the tip' && cd ../other", ""),
        ("cd ../other && cd ../shop && git commit -m 'Add the tip'", ""),
        ("(cd ../other && make) && git commit -m 'Add the tip'", ""),
        ("pushd ../other && make && popd && git commit -m 'Add the tip'", ""),
    ],
)
def test_a_commit_in_another_folder_says_in_which(command: str, where: str) -> None:
    found = one(shell(command, "[main 1a2b3c4] Add the tip\n 1 file changed\n"))
    assert found.title == f"Commit{where}: Add the tip"
    assert found.summary.startswith(f"In {where[4:]}: Commit" if where else "Commit 1a2b3c4")


def test_a_push_from_another_folder_says_from_which() -> None:
    assert one(shell("cd ../other && git push origin main", "done\n")).title == "Pushed origin main in ../other"


def test_a_commit_message_in_a_heredoc_is_read() -> None:
    command = "git commit -q -m \"$(cat <<'EOF'\nAdd the tip\n\nIt was asked for.\nEOF\n)\""
    found = one(shell(command))
    assert found.title == "Commit: Add the tip"
    assert "It was asked for." in found.detail


def test_a_failed_build_tells_the_errors_with_their_places() -> None:
    found = one(shell("npm run build", outputs.TSC, code=2))
    assert found.title.startswith("npm run build failed: TS2322: Type 'string'")
    assert "2 errors in all" in found.summary
    assert found.files == ("src/cart.ts", "src/price.ts")
    assert found.failure == "TS2322: Type 'string' is not assignable to type 'number'."


def test_a_traceback_is_told_by_its_last_line_and_the_projects_own_frame() -> None:
    text = (
        'Traceback (most recent call last):\n  File "/srv/shop/app.py", line 9, in main\n    run()\n'
        '  File "/usr/lib/python3.11/json/decoder.py", line 355, in raw_decode\n    raise err\n'
        "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)\n"
    )
    found = one(shell("python app.py", "", "starting\n" + text, code=1))
    assert "app.py:9" in found.summary
    assert found.failure == "json.decoder.JSONDecodeError: Expecting value: line <n> column <n> (char <n>)"


def test_a_failed_install_tells_the_cause_and_not_the_log() -> None:
    found = one(shell("npm install react-x", "", outputs.NPM_INSTALL, code=1))
    assert "ERESOLVE unable to resolve dependency tree" in found.title
    assert "complete log" not in content(found)


def test_a_long_output_is_shortened_to_its_last_telling_lines() -> None:
    progress = "".join(f"Downloading part {n}\n{n}%|███\n" for n in range(500))
    found = one(shell("python load.py", progress + "Loaded 4,200 rows into prices\n"))
    assert "Loaded 4,200 rows into prices" in found.summary
    assert "Downloading" not in content(found)


def test_the_exit_code_of_other_hosts_is_found() -> None:
    headed = "Exit code: 2\nWall time: 1.1 seconds\nOutput:\nerror: no tag\n"
    codex = tool("shell", "shell", {"command": ["bash", "-lc", "make ship"]}, headed)
    told = (
        "Command: make ship\nDirectory: (root)\nStdout: error: no tag\nStderr: (empty)\nError: (none)\nExit Code: 2\n"
    )
    gemini = tool("run_shell_command", "shell", {"command": "make ship"}, {"llmContent": told})
    opencode = tool("bash", "shell", {"command": "make ship"}, {"output": "error: no tag", "metadata": {"exit": 2}})
    for line in (codex, gemini, opencode):
        assert one(line).title == "make ship failed: error: no tag"


def test_what_was_read_on_the_web_is_kept_with_its_place() -> None:
    given = {"url": "https://docs.example.com/hooks", "prompt": "limits"}
    page = "# Hooks\nThe limit of a hook's output is 10,000 characters; more is written to a file.\n"
    found = one(tool("WebFetch", "web", given, {"result": page, "code": 200}))
    assert found.title == "Read Hooks"
    assert "docs.example.com/hooks" in found.summary
    assert "10,000 characters" in found.summary


def test_a_helpers_result_and_the_users_choice_are_kept() -> None:
    helper = tool(
        "Task",
        "task",
        {"description": "Find the callers", "subagent_type": "Explore", "prompt": "…"},
        {"content": [{"type": "text", "text": "total() is called from cart.py:4, api.py:10 and report.py:99."}]},
    )
    choice = tool("AskUserQuestion", "other", {"questions": []}, {"answers": {"Which database?": "Postgres"}})
    found = observe([helper, choice])
    assert [one.title for one in found] == ["Explore: Find the callers", "User chose: Postgres"]
    assert "api.py:10" in found[0].summary
    assert "Which database?" in found[1].summary


def test_what_a_foreign_server_changed_is_kept() -> None:
    output = [{"type": "text", "text": "ENG-12"}]
    found = one(tool("mcp__linear__create_issue", "mcp", {"title": "Tip missing"}, output))
    assert found.title == "linear: create issue: Tip missing"


JUNK = {
    "ls": shell("ls -la src", "total 4\n"),
    "cd and cat": shell("cd src && cat cart.py | head -5", "def total():\n    pass\n"),
    "echo": shell("echo done", "done\n"),
    "grep": shell("grep -rn total src", "src/cart.py:1:def total():\n"),
    "grep without a hit": shell("rg nothing_here", code=1),
    "sed -n": shell("sed -n 1,20p src/cart.py", "def total():\n"),
    "git status": shell("git status && git diff --stat", "On branch main\n"),
    "git log": shell("git -C /srv/shop log --oneline -5", "1a2b3c4 Add the tip\n"),
    "no output": shell("python check.py"),
    "a missing file": shell("cat nothing.txt", "", "cat: nothing.txt: No such file or directory\n", code=1),
    "help": shell("fly deploy --help", "Usage: fly deploy [flags]\n"),
    "a formatter": shell("ruff format src", "3 files reformatted\n"),
    "nothing to commit": shell("git commit -m x", "On branch main\nnothing to commit, working tree clean\n", code=1),
    "all installed already": shell("npm install", "up to date, audited 200 packages in 1s\n"),
    "an error of a service": shell(
        "curl -s https://api.example.com/x", '{"error": {"type": "not_found", "message": "no"}}'
    ),
    "reading": tool("Read", "read", {"file_path": "a.py"}, "text " * 50),
    "searching": tool("Grep", "search", {"pattern": "x"}, {"filenames": ["a.py"], "numFiles": 1}),
    "a to-do list": tool("TodoWrite", "other", {"todos": [{"content": "x", "status": "pending"}]}, {"newTodos": []}),
    "an unread file": failed(
        "Edit", "edit", {"file_path": "a.py"}, "File has not been read yet. Read it first before writing to it."
    ),
    "a string not found": failed("Edit", "edit", {"file_path": "a.py"}, "String to replace not found in file."),
    "a denial": failed(
        "Bash", "shell", {"command": "make ship"}, "Permission to use Bash with command make ship has been denied."
    ),
    "a rejection": failed(
        "Bash", "shell", {"command": "make ship"}, "The user doesn't want to proceed with this tool use."
    ),
    "an interruption": tool(
        "Bash", "shell", {"command": "make"}, {"stdout": "half a line", "stderr": "", "interrupted": True}
    ),
    "an API error": tool(
        "mcp__x__get_thing", "mcp", {"id": "1"}, '{"type":"error","error":{"type":"rate_limit_error"}}'
    ),
    "our own tool": tool("mcp__plugin_marrow_marrow__memory_recall", "mcp", {"message": "x"}, "a memory " * 30),
    "a browser's step": tool("mcp__playwright__browser_click", "mcp", {"ref": "e1"}, "snapshot " * 40),
    "a page that is not there": tool(
        "WebFetch", "web", {"url": "https://x.example/y"}, {"result": "404 Not Found", "code": 404}
    ),
    "white space": edit("a.py", "def f():\n  return 1", "def f():\n    return 1"),
    "a lock file": write("package-lock.json", '{\n  "name": "shop"\n}\n'),
    "scratch": tool("Write", "write", {"file_path": "/tmp/x/try.py", "content": "print(1 + 1)"}, {"type": "create"}),
    "before the tool": trace("pre-tool", tool="Bash", does="shell", input={"command": "make"}),
    "a prompt": trace("prompt", prompt="run make"),
}


@pytest.mark.parametrize("name", JUNK)
def test_junk_is_no_observation(name: str) -> None:
    assert observe([JUNK[name]]) == []


def test_the_same_call_again_is_kept_once() -> None:
    again = [shell("python report.py", "12 rows written\n") for _ in range(3)]
    found = one(*again)
    assert found.trace_ids == tuple(line["id"] for line in again)
    assert found.before == 3 * observe(again[:1])[0].before


def test_the_text_of_an_observation_is_taken_apart_again() -> None:
    found = one(shell("npm run build", outputs.TSC, code=2))
    assert depths(content(found)) == (found.title, found.summary, found.detail)
    assert depths("A text of a person's.\nIt has two lines.") == (
        "A text of a person's.",
        "A text of a person's.\nIt has two lines.",
        "",
    )


def test_a_failure_is_known_by_the_same_signature_in_another_place_and_time() -> None:
    first = shell("python a.py", "", "Error: cannot open /srv/shop/a.db at 0x7f1a after 30 ms\n", code=1)
    second = shell("python b.py", "", "Error: cannot open /var/lib/b.db at 0x99ff after 2 ms\n", code=1)
    assert failure_of(first) == failure_of(second) == "Error: cannot open <path> at <hex> after <n> ms"
    assert failure_of(shell("python a.py", "fine, 3 rows\n")) == ""


def test_what_was_read_before_gives_the_same_observations() -> None:
    traces = [
        shell("pytest", "1 failed", code=1),
        edit("src/cart.py", "a = 1\n", "a = 2\n"),
        shell("pytest", "1 passed"),
    ]
    known: Known = {}
    assert observe(traces[:2], known) == observe(traces[:2])
    assert set(known) == {trace["id"] for trace in traces[:2]}
    assert observe(traces, known) == observe(traces)


def test_of_what_was_read_only_the_latest_and_the_short_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KNOWN_MAX", 8)
    known: Known = {}
    traces = [write(f"src/{number}.py", "x = 1\n") for number in range(30)]
    observe(traces, known)
    assert len(known) <= 8
    assert traces[-1]["id"] in known
    long = write("src/long.py", "x = 1\n" * module.KNOWN_SIZE_MAX)
    observe([long], known)
    assert long["id"] not in known


def test_a_run_of_tests_is_told_with_the_command_as_it_was_given() -> None:
    output = "FAILED tests/test_a.py::test_x - assert 1 == 2\n1 failed, 3 passed in 0.05s\n"
    (seen,) = observe([shell("cd app && python -m pytest -q 2>&1 | tail -3", output, code=1)])
    assert seen.summary.startswith("`python -m pytest -q`: 1 failed")


def test_an_edit_that_was_undone_leaves_nothing() -> None:
    assert observe([edit("a.py", "x = 1", "x = 2"), edit("a.py", "x = 2", "x = 1")]) == []


def test_a_host_that_says_no_exit_code_is_not_taken_to_say_that_all_went_well() -> None:
    """Codex sends what a command printed, and nothing else."""
    broken = "cc -c cart.c\nmake: *** [Makefile:4: build] Error 1"
    found = one(tool("Bash", "shell", {"command": "make build"}, broken, host="codex"))
    assert (found.outcome, found.title) == ("failed", "make build failed: make: *** [Makefile:4: build] Error 1")
    assert one(tool("Bash", "shell", {"command": "make build"}, "built cart", host="codex")).title == "Ran make build"
    assert one(shell("make build", "built cart")).title == "make build passes"
