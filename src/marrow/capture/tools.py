"""What the hosts' tools are called and what matters of a call, in one form for all hosts.

Inputs keep their names, but for those that every host calls differently: `file_path`, `command`, `old_string`,
`new_string`, `content`, `pattern`, `url`. An edit also says how long the text was `before` and `after`. Outputs are
reduced to what matters: `stdout`, `stderr`, `exit_code`, the file, how many lines were added and removed, the text.
"""

from __future__ import annotations

from marrow.capture.json_text import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

EDIT, WRITE, READ, SHELL, SEARCH, WEB, TASK, MCP, OTHER = "edit write read shell search web task mcp other".split()

_NAMES = {
    EDIT: "edit multiedit notebookedit strreplace str_replace str_replace_editor str_replace_based_edit_tool "
    "apply_patch applypatch patch replace replace_file_content multi_replace_file_content replace_string_in_file "
    "editfiles delete multi_replace_string_in_file insert_edit_into_file edit_file search_replace "
    "tabwrite edit_notebook_file",
    WRITE: "write create create_file write_file write_to_file createfile newfile new",
    READ: "read notebookread read_file read_many_files readfile view view_file view_image tabread open_file "
    "view_code_item view_file_outline copilot_readfile",
    SHELL: "bash bashoutput killshell shell powershell local_shell exec_command shell_command write_stdin "
    "run_shell_command run_command run_in_terminal runcommands terminal unified_exec "
    "get_terminal_output command_status runtests",
    SEARCH: "grep glob ls list list_dir list_directory search search_file_content grep_search file_search "
    "semantic_search codebase_search find_by_name toolsearch tool_search rg codesearch search_dir listdir lsp",
    WEB: "webfetch websearch web_fetch web_search google_web_search fetch_webpage fetch read_url_content search_web "
    "browser_subagent",
    TASK: "task agent runsubagent delegate_to_agent spawn_agent invoke_subagent subagent",
}
DOES = {name: does for does, names in _NAMES.items() for name in names.split()}
_MCP_PREFIXES = ("mcp__", "mcp_", "mcp:")

# What hosts call the same thing.
_INPUT_NAMES = {
    **dict.fromkeys("filePath path target_file targetFile TargetFile AbsolutePath absolute_path".split(), "file_path"),
    **dict.fromkeys("file notebook_path uri".split(), "file_path"),
    **dict.fromkeys("cmd CommandLine commandLine script".split(), "command"),
    **dict.fromkeys("oldString old_str oldStr old_text TargetContent".split(), "old_string"),
    **dict.fromkeys("newString new_str newStr new_text new_source ReplacementContent".split(), "new_string"),
    **dict.fromkeys("file_text fileText contents CodeContent code".split(), "content"),
    **dict.fromkeys("query Query search regex Pattern".split(), "pattern"),
    **dict.fromkeys("Url URL uri_to_fetch".split(), "url"),
}  # fmt: skip
_PATCH_FILE = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")
_FILES_MAX = 40
# Of an answer: what repeats the input or the file, and what is no text.
_DROPPED = frozenset(
    "originalFile oldString newString content_base64 base64 isImage noOutputExpected structuredContent contentDetails "
    "userModified replaceAll gitDiff returnDisplay detailedContent metadata".split()
)
_OUTPUT_NAMES = {
    "exitCode": "exit_code", "exit": "exit_code", "returncode": "exit_code", "filePath": "file_path",
    "aggregated_output": "text", "output": "text", "result": "text", "llmContent": "text", "textResultForLlm": "text",
    "text_result_for_llm": "text", "durationMs": "ms",
}  # fmt: skip


def does(name: str) -> str:
    """What a tool does, by its name in any host."""
    plain = name.lower()
    if plain in DOES:
        return DOES[plain]
    return MCP if plain.startswith(_MCP_PREFIXES) else OTHER


def read_input(kind: str, given: object) -> dict[str, object]:
    """A tool's input in the one form. The whole texts are kept here; they are shortened when they are redacted."""
    value = _opened(given)
    if isinstance(value, str):
        value = {"command" if kind == SHELL else "text": value}
    if not isinstance(value, dict):
        return {}
    result: dict[str, object] = {}
    for key, item in value.items():
        name = str(key)
        result.setdefault(_INPUT_NAMES.get(name, name) if kind != MCP else name, item)
    command = result.get("command")
    if isinstance(command, list):
        result["command"] = " ".join(str(part) for part in command)
    if kind == EDIT:
        _measure_edit(result)
    elif kind == WRITE and isinstance(result.get("content"), str):
        result["after"] = len(str(result["content"]))
    return result


def _measure_edit(edit: dict[str, object]) -> None:
    """How long the changed text was and is; which files a patch is about."""
    patch = next((edit[name] for name in ("patch", "patchText", "input", "command", "text") if name in edit), None)
    if isinstance(patch, str) and "*** " in patch:
        lines = patch.split("\n")
        files = [line[len(start) :].strip() for line in lines for start in _PATCH_FILE if line.startswith(start)]
        edit["files"] = files[:_FILES_MAX]
        if files:
            edit.setdefault("file_path", files[0])
        edit["before"] = sum(len(line) for line in lines if line.startswith("-"))
        edit["after"] = sum(len(line) for line in lines if line.startswith("+"))
        return
    parts = edit.get("edits") or edit.get("replacements") or edit.get("ReplacementChunks")
    pieces = [edit, *(part for part in parts if isinstance(part, dict))] if isinstance(parts, list) else [edit]
    before = after = 0
    for piece in pieces:
        for name, item in piece.items():
            if isinstance(item, str):
                kind = _INPUT_NAMES.get(name, name)
                before += len(item) if kind == "old_string" else 0
                after += len(item) if kind == "new_string" else 0
    if before or after:
        edit["before"], edit["after"] = before, after


def read_output(kind: str, given: object) -> str | dict[str, object]:
    """A tool's output, reduced to what matters."""
    value = _opened(given)
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return _text_of(value)
    if not isinstance(value, dict):
        return ""
    if isinstance(value.get("structuredPatch"), list):
        return _patched(value)
    if kind == READ:
        return _read(value)
    result: dict[str, object] = {}
    for key, item in value.items():
        name = str(key)
        if name in _DROPPED or item is None or item is False or item in ("", [], {}):  # a zero says something
            continue
        if isinstance(item, list):
            texts = _text_of(item)
            result.setdefault("text" if name == "content" else name, texts or item)
        else:
            result.setdefault(_OUTPUT_NAMES.get(name, name), item)
    if set(result) == {"text"} and isinstance(result["text"], str):
        return result["text"]
    return result


def _patched(value: Mapping[str, object]) -> dict[str, object]:
    """An edit's answer: where, how many lines came and went, how long the file was."""
    added = removed = 0
    places: list[object] = []
    hunks = value.get("structuredPatch")
    for hunk in hunks if isinstance(hunks, list) else []:
        if isinstance(hunk, dict):
            lines = hunk.get("lines")
            for line in lines if isinstance(lines, list) else []:
                added += str(line).startswith("+")
                removed += str(line).startswith("-")
            places.append([hunk.get("newStart"), hunk.get("newLines")])
    result: dict[str, object] = {"added": added, "removed": removed, "places": places[:_FILES_MAX]}
    if isinstance(value.get("filePath"), str):
        result["file_path"] = value["filePath"]
    if isinstance(value.get("originalFile"), str):
        result["before"] = len(str(value["originalFile"]))
    if value.get("type") in ("create", "update"):
        result["type"] = value["type"]
    return result


def _read(value: Mapping[str, object]) -> dict[str, object]:
    """A read file's answer: which lines, and none of them."""
    inner = value.get("file")
    found = inner if isinstance(inner, dict) else value
    names = {"filePath": "file_path", "numLines": "lines", "startLine": "start", "totalLines": "total"}
    return {new: found[name] for name, new in names.items() if isinstance(found.get(name), (str, int))}


def _text_of(blocks: list[object]) -> str:
    """The text of content blocks, as MCP and the hosts send them; "" where they are something else."""
    texts = []
    for block in blocks:
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            texts.append(str(block["text"]))
        elif isinstance(block, dict) and block.get("type") in ("image", "audio"):
            texts.append(f"[{block['type']}]")
    return "\n".join(texts)


def failure(output: str | Mapping[str, object]) -> str:
    """Why a call failed, where its output says that it did; else ""."""
    if isinstance(output, str):
        return ""
    code = output.get("exit_code")
    kind = output.get("resultType") or output.get("result_type")
    wrong = output.get("isError") is True or output.get("is_error") is True or output.get("success") is False
    if output.get("error"):
        error = output["error"]
        return str(error.get("message") or error) if isinstance(error, dict) else str(error)
    if (isinstance(code, int) and code != 0) or kind in ("failure", "error", "denied") or wrong:
        said = output.get("stderr") or output.get("text") or output.get("stdout")
        return str(said or f"exit code {code}")
    return ""


def _opened(value: object) -> object:
    """A value that came as JSON in a text, opened; any other as it is."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return parse(value)
        except ValueError:
            return value
    return value
