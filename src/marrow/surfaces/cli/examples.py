"""Examples for help: a few by hand for the commands that people meet first, and the rest made from the arguments."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from ...operations.table import Argument
from .arguments import Shape, choices, flag, is_address, is_list, is_mapping

if TYPE_CHECKING:
    from .commands import Entry

FIRST_MINUTE = {
    "marrow tour": "fill a memory from this repository, and ask it something",
    "marrow save we use SQLite: no server": "remember something",
    "marrow recall why sqlite": "what is known that matters for this",
}
# What one needs every day, by what it is for.
EVERY_DAY = {
    "Remember": {
        "save": "keep why, what was tried, what broke, what was decided",
        "update": "put what holds now in the place of what no longer does",
        "forget": "retract what was wrong",
        "handoff": "leave word for the next session, or read the last one's",
    },
    "Find": {
        "recall": "what matters for a message, and nothing else",
        "search": "everything that may, ranked, with filters",
        "ask": "an answer from code, decisions, commits, meetings; with sources",
        "get": "one memory whole, by its address",
        "log": "what was ever said about something, and what replaced what",
        "decisions": "what was decided, and whether it still holds",
    },
    "Know the code": {
        "map": "folders, files, main symbols, and what is known of them",
        "code callers": "who calls a function, and how sure that is",
        "code impact": "what depends on a symbol, or on what you changed",
        "verify": "which memories no longer fit the code",
    },
    "Take in what there is": {
        "ingest codebase": "a repository: code, documents, decision records, post-mortems",
        "ingest history": "the reasons that stand in commits",
        "watch": "keep it current with every commit",
    },
    "Inside your agent": {
        "install": "into Claude Code, Codex, Cursor …; `uninstall` takes it out",
        "sessions": "what the sessions did, and what they were told",
        "pause": "let hooks keep and tell nothing for a while",
        "doctor": "look for what is wrong, from the host to the store",
    },
    "Look after it": {
        "status": "how much is known, and where it is kept",
        "backup": "copy the store while it is in use",
        "export": "write what is known to a file that another memory can take in",
        "erase": "remove something for good, with all that was made from it",
    },
}
# By the name of the operation. A test runs every one of them through the parser.
BY_HAND = {
    "memory_recall": (
        "marrow recall why did we choose sqlite",
        "marrow recall --files src/store.py,src/app.py changing how rows are written",
        "marrow recall --json how do we deploy | jq '.items[].content'",
    ),
    "memory_search": (
        "marrow search connection pool --domain decisions --since '3 months ago'",
        "marrow search --tags security --kinds incident,decision",
        "marrow search -- commits",
    ),
    "memory_save": (
        "marrow save The build needs Python 3.11 because of tomllib --domain dependencies",
        "marrow save --anchors src/app.py:10-40 --tags auth Tokens are checked in the middleware",
        "git log -1 --format=%B | marrow save --kind commit --domain history",
    ),
    "memory_get": ("marrow get 3fa9c1d20b7e", "marrow get 3fa9c1 --history"),
    "memory_update": (
        "marrow update 3fa9c1 The API listens on 9090 --reason 'moved behind the proxy'",
        "marrow update 3fa9c1 --pinned --priority 0.9",
    ),
    "memory_relate": ("marrow relate 3fa9c1 77e0aa caused_by",),
    "memory_forget": ("marrow forget 3fa9c1 it was a guess", "marrow forget --last"),
    "memory_context": ("marrow context", "marrow context the release --budget-tokens 800"),
    "memory_gap": ("marrow gap how long are backups kept",),
    "memory_ask": ("marrow memory ask who rotates the keys --target-agent ops",),
    "memory_answer": ("marrow answer 3fa9c1 every ninety days, by the cron job",),
    "memory_checkpoint": ("marrow checkpoint 'the move' --done 'the tables' --remaining 'the rows'",),
    "memory_handoff": ("marrow handoff write", "marrow handoff read"),
    "set_task_context": ("marrow set task context the move --details branch=main",),
    "memory_arc": (
        "marrow arc create 'the move' --goal 'everything is in one store'",
        "marrow arc update 'the move' --progress 'the tables are over' --next-step 'the rows'",
        "marrow arc list",
    ),
    "memory_survey": ("marrow survey --ratings recall_precision=4 --notes 'it found what mattered'",),
    "memory_cat": ("marrow cat release-plan",),
    "memory_promote": ("marrow promote release-plan", "marrow promote --all-preliminary"),
    "memory_stash": ("marrow stash release-plan --reason 'after the holidays'",),
    "sessions": ("marrow sessions", "marrow sessions --since '1 week' --open"),
    "session_show": ("marrow session show 0198c2",),
    "report": (
        "marrow report",
        "marrow report '3 days' --format markdown",
        "marrow report session --mermaid",
    ),
    "eval": ("marrow eval", "marrow eval recall"),
    "pause": ("marrow pause", "marrow pause --until '2 hours'", "marrow pause --project all"),
    "ingest_codebase": ("marrow ingest codebase", "marrow ingest codebase ../billing --service-name billing"),
    "ingest_document": ("marrow ingest document handbook.pdf", "marrow ingest document notes.docx --service billing"),
    "ingest_architectural_decision": ("marrow ingest architectural decision docs/adr/0007-queues.md",),
    "ingest_incident": (
        "marrow ingest incident 'Checkout was down' 'No order for 40 minutes.' --service shop --severity SEV1",
    ),
    "ingest_conversation": (
        "marrow ingest conversation ~/.claude/projects/-src-shop",
        "marrow ingest conversation slack-export.zip --service shop",
    ),
    "ingest_log": (
        "marrow ingest log /var/log/shop/app.log.gz --service shop",
        "marrow ingest log app.log --since '2 hours ago'",
    ),
    "ingest_repository": (
        "marrow ingest repository github acme/shop",
        "marrow ingest repository gitlab acme/web/shop --include pulls,issues --since '1 year ago'",
    ),
    "watch": ("marrow watch .", "marrow watch . --hooks", "marrow watch", "marrow watch . --stop"),
    "ingest_history": ("marrow ingest history", "marrow ingest history --since '3 months ago'"),
    "ingest_meeting": (
        "marrow ingest meeting recordings/2026-03-02-sync.m4a",
        "marrow ingest meeting notes/sync.vtt --title 'Platform sync' --attendees Ann,Bob",
    ),
    "ingest_design": ("marrow ingest design mockups/checkout.png --feature 'the checkout'",),
    "search_meeting_transcripts": ("marrow meeting search why did we move the billing service",),
    "get_action_items": ("marrow action items", "marrow action items --owner Ann", "marrow action items --no-open"),
    "lineage": ("marrow lineage 3fa9c1", "marrow lineage docs/adr/0007-store.md", "marrow lineage --commit 77e0aa1"),
    "view_define": ("""marrow view define team '{"classification": ["public", "internal"]}'""",),
    "delete_service_data": (
        "marrow delete service data billing --dry-run",
        "marrow delete service data billing --yes",
    ),
    "prune": ("marrow prune '6 months' --dry-run", "marrow prune 90 --kinds log --yes"),
    "ask": (
        "marrow ask why did we move to a queue",
        "marrow ask --service billing --kinds decision,incident what happens when a payment fails",
        "marrow ask --as-of release-1 how are sessions kept",
    ),
    "search_by_service": ("marrow service search billing how are payments retried",),
    "get_architectural_decisions": (
        "marrow decisions the queue",
        "marrow decisions --service billing --status superseded",
    ),
    "get_incident_history": ("marrow incidents --service billing --since '3 months ago'",),
    "get_full_document": ("marrow document docs/adr/0007-queue.md", "marrow document 3fa9c1"),
    "get_service_overview": ("marrow service overview billing",),
    "list_documents": ("marrow documents --service billing --kinds decision",),
    "memory_explore": ("marrow explore the retry queue", "marrow explore --deep the retry queue"),
    "memory_plan": ("marrow plan move the sessions to another table",),
    "memory_read": ("marrow read src/app.py", "marrow read src/app.py --offset 40 --limit 20"),
    "memory_grep": (
        "marrow grep 'def open_\\w+'",
        "marrow grep retry --glob 'src/**/*.py' --intent 'where it gives up'",
    ),
    "memory_glob": ("marrow glob '*.sql'", "marrow glob 'src/**/*.py'"),
    "memory_write": ("marrow write notes.txt 'two lines' --claim 'notes.txt is read by the tests'",),
    "memory_edit": ("marrow edit src/app.py 'retries = 3' 'retries = 5'",),
    "code_symbols": ("marrow code symbols Store.close", "marrow code symbols --path src/store.py --kind class"),
    "code_callers": ("marrow code callers Store.close", "marrow code callers src/store.py:120"),
    "code_callees": ("marrow code callees src/store.py::Store.close",),
    "code_call_graph": ("marrow code call graph Store.close --depth 1", "marrow code call graph --path src/store.py"),
    "memory_map": ("marrow map", "marrow map src --depth 3"),
    "code_function_map": ("marrow code function map src/store.py", "marrow code function map --since HEAD~5"),
    "code_changes": ("marrow code changes --since '2 days ago'", "marrow code changes --since main"),
    "code_impact": ("marrow code impact Store.close", "marrow code impact --diff HEAD"),
    "memory_verify": ("marrow verify", "marrow verify 3fa9c1", "marrow verify --path src/store"),
    "memory_spatial": ("marrow spatial src/app.py", "marrow spatial src/app.py:40-60"),
    "memory_scan": ("marrow scan", "marrow scan src/store"),
    "memory_coverage": ("marrow coverage", "marrow coverage src"),
    "memory_blame": ("marrow blame src/app.py:42", "marrow blame release-plan", "marrow blame 3fa9c1"),
    "memory_rebase": ("marrow rebase 3fa9c1 --dry-run",),
    "get_recent_commits": ("marrow git commits", "marrow git commits --limit 30"),
    "get_changed_files": ("marrow git changes", "marrow git changes --since-hours 72"),
    "get_current_diff": ("marrow git diff --budget-tokens 4000",),
    "search_commits": ("marrow git search why is the parser cached", "marrow git search 3fa9c1d2"),
    "get_file_history": ("marrow git history src/app.py",),
    "memory_status": ("marrow status", "marrow status --json"),
    "memory_export": ("marrow export memory.jsonl",),
    "memory_import": (
        "marrow import memory.jsonl --dry-run",
        "marrow import CLAUDE.md",
        "marrow import ~/.claude-mem --dry-run",
    ),
    "backup": ("marrow backup ~/marrow-backup.db",),
    "restore": ("marrow restore ~/marrow-backup.db --dry-run",),
    "config_get": ("marrow config get recall.top_k",),
    "config_unset": ("marrow config unset recall.top_k",),
    "tour": ("marrow tour", "marrow tour ~/src/flask how are blueprints registered"),
    "derivations": ("marrow derivations", "marrow derivations summary", "marrow derivations --address 3fa9c1"),
    "recompute": ("marrow recompute", "marrow recompute --errors-only", "marrow recompute summary --kind document"),
    "derivations_allow": ("marrow derivations allow", "marrow derivations allow --revoke"),
    "bench_recall": ("marrow bench recall", "marrow bench recall --embedder minilm --questions 200"),
    "config": ("marrow config", "marrow config set recall.top_k 8"),
    "config_set": ("marrow config set recall.top_k 8", "marrow config set domains.extra billing,legal --project-file"),
    "completion": ('eval "$(marrow completion bash)"',),
    "help": ("marrow help recall", "marrow help exit-codes"),
    "install": ("marrow install", "marrow install claude-code --dry-run", "marrow install claude-code --skills-only"),
    "uninstall": ("marrow uninstall", "marrow uninstall claude-code --yes"),
    "mcp": ("marrow mcp", "marrow mcp --tools core,tree"),
    "hook": ("echo '{}' | marrow hook codex SessionStart --debug",),
    "memory_compress": (
        "marrow compress --domain issues --dry-run",
        "marrow compress --addresses 3fa9c1,77e0aa The pool ran dry because one job kept its connection",
    ),
    "memory_session_compress": ("marrow session compress --thread 3f2a The store is on SQLite now",),
    "memory_chains": ("marrow chains --domain decisions",),
    "memory_used": ("marrow used --files src/store.py I closed the pool, as 3fa9c1 says",),
    "memory_init": ("marrow init", "marrow init billing"),
}

_SAMPLES = {
    "path": "src",
    "source": "memory.jsonl",
    "a": "release-1",
    "b": "release-2",
    "since": "3 days ago",
    "file": "src/app.py",
    "file_path": "src/app.py",
    "project": "billing",
    "service": "api",
    "name": "release-2",
    "symbol": "open_store",
    "limit": "10",
    "kinds": "decision,incident",
    "as_of": "2026-03-01",
    "summary": "what it comes to",
    "query": "connection pool",
    "topic": "connection pool",
    "message": "why is the build slow",
}


def examples_of(entry: Entry, form: Shape) -> tuple[str, ...]:
    by_hand = BY_HAND.get(entry.about.name)
    return by_hand or (made(entry, form),)


def made(entry: Entry, form: Shape) -> str:
    """A call with a likely value for everything that must be given, or else for the first thing that may be."""
    words = ["marrow", *entry.words]
    needed = [a for a in form.positionals if a.required] or list(form.positionals[:1])
    options = [] if needed else [a for a in form.options[:1] if a.type is not bool]
    for argument in (*needed, *options):
        words += [flag(argument.name)] if argument in options else []
        if is_address(argument, entry.operation):
            words.append("77e0aa" if argument.name == "target" else "3fa9c1")
        else:
            words.append(_sample(argument, is_last=argument is needed[-1] and form.takes_rest if needed else False))
    return " ".join(words)


def _sample(argument: Argument, *, is_last: bool) -> str:
    if few := choices(argument):
        return few[0]
    if is_mapping(argument):
        return "owner=ada"
    if argument.type in (int, float):
        return "10" if argument.type is int else "0.8"
    text = _SAMPLES.get(argument.name, "auth,security" if is_list(argument) else argument.name.replace("_", " "))
    return text if is_last else shlex.quote(text)
