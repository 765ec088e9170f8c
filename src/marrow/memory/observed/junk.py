"""What is not worth an observation: looking around, a host's own refusals, errors of services, empty results."""

from __future__ import annotations

import re

from .call import Call

_LOOKS = frozenset(("read", "search"))
# Tools by which an agent runs itself: they say nothing about the project.
_OWN_TOOLS = frozenset(
    "todowrite todoread taskcreate taskupdate tasklist taskget taskstop taskoutput write_todos update_plan "
    "exitplanmode "
    "enterplanmode toolsearch skill bashoutput killshell killbash killagent listmcpresourcestool readmcpresourcetool "
    "listmcpresources readmcpresource slashcommand sendmessage monitor croncreate crondelete cronlist teamcreate "
    "teamdelete enterworktree exitworktree structuredoutput memory save_memory get_internal_docs think sleep "
    "ls list_dir list_directory listdir read read_file readfile read_many_files glob grep grep_search file_search "
    "search_file_content codebase_search semantic_search view view_image notebookread lsp get_errors "
    "get_terminal_output read_lints fetch_rules attempt_completion".split()
)
_HOST = re.compile(
    r"file has not been read|has been modified since read|string to replace not found|string not found in file|"
    r"no changes to make|exactly the same|found \d+ matches of the string|file does not exist|eisdir|"
    r"inputvalidationerror|<tool_use_error>|invalid (?:tool )?(?:parameters|arguments|input)|missing required "
    r"parameter|"
    r"user (?:doesn't|does not) want to proceed|user (?:has )?(?:rejected|denied|declined)|tool use was rejected|"
    r"permission to use .{0,60} (?:has been |was )?denied|requested permissions? to|requires approval|"
    r"this command requires|blocked by|hook (?:blocked|denied|error)|not allowed (?:by|in) |operation stopped by|"
    r"no such tool|tool .{0,60} not found|mcp server .{0,60}(?:disconnected|not connected|unavailable)|"
    r"cancelled by|canceled by|was cancelled|request was aborted|aborterror|plan mode|"
    r"old_string (?:not found|did not match)|failed to (?:edit, |find expected lines|apply patch)|could not find old|"
    r"0 occurrences found|file content (?:is )?unchanged|todos? have been modified",
    re.I,
)
_SERVICE = re.compile(
    r'\s*(?:api error:?|error:? )?\s*\d{0,3}\s*\{\s*"(?:type":\s*"error"|error"|errors"|'
    r'message":[^{}]{0,400}"(?:status|statuscode|code|'
    r'documentation_url)"|statuscode"|status":\s*"?(?:4\d\d|5\d\d|error|fail)|detail":|code":\s*"?-?\d|ok":\s*false|'
    r'success":\s*false)|'
    r"api error\b|.{0,80}(?:rate_limit_error|overloaded_error|authentication_error|invalid_request_error)|"
    r"<!doctype html[\s\S]{0,400}(?:404|403|50\d)|(?:http )?(?:error )?(?:40[0-9]|429|50[0-4])\b|"
    r"request failed with status|upstream connect error|too many requests|unauthorized\b|forbidden\b",
    re.I,
)


def is_junk(call: Call) -> bool:
    """Whether a call can be put aside without looking at what kind of tool it was."""
    if call.interrupted or call.does in _LOOKS or call.tool.lower() in _OWN_TOOLS:
        return True
    if is_own(call.tool):
        return True
    if call.does not in ("shell",) and call.failed:
        # What other tools fail with is between them and the host: the work goes on another way.
        return True
    return is_host_error(call.text) if call.failed else False


def is_own(tool: str) -> bool:
    """A tool of Marrow's: what a memory says must not become a memory."""
    return tool.startswith("mcp") and "marrow" in tool.lower()


def is_host_error(text: str) -> bool:
    """The host's refusal, and not the program's: it stands at the beginning."""
    return _HOST.search(text[:400]) is not None


def is_service_error(text: str) -> bool:
    """The error object or page of a service, with nothing else."""
    return len(text) < 4_000 and _SERVICE.match(text) is not None
