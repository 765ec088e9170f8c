"""Import of bundles: the union of two memories, and nothing at all from a file that is not in order."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from marrow.memory.audit_verify import audit_verify
from marrow.memory.export import export
from marrow.memory.import_bundle import import_bundle
from marrow.model.address import address_of
from marrow.model.change import NameProject, Relate
from marrow.model.errors import Forbidden, Invalid, MarrowError, NotFound, TooLarge
from marrow.model.link import Anchor

from . import fixtures_store
from .fixtures_store import READ_ONLY, World, knowledge, make_world

world = fixtures_store.world
pair = fixtures_store.pair


def grown(world: World) -> World:
    """A memory with something of everything in it."""
    a = world.say(
        "The gate is green.", anchors=[Anchor("lines", "gate.py", '{"end":3,"start":1}')], thread="t", user="bo"
    )
    b = world.supersede(a, "The gate is blue.", "painted")
    c = world.say("Plums are sold.", tags=("shop",), aliases=("prunes",), metadata={"owner": "ada", "n": 1.5})
    world.say("Plums are sold.", at=1)
    world.relate(b, "enables", c)
    world.relate(b, "relates_to", c)
    world.relate(b, "relates_to", c, closed=True)
    world.say("Elsewhere.", project="meadow", expires_at=5, approved=False)
    world.say("In short.", kind="summary", inputs=[a, c])
    world.forget(world.say("Not so."))
    world.name_project("orchard", "an-alias")
    return world


def exported(world: World, folder: Path) -> str:
    path = folder / "exported.bundle"
    export(world.engine, world.asker, str(path), overwrite=True)
    return str(path)


def test_everything_arrives(pair: tuple[World, World], tmp_path: Path) -> None:
    one, other = pair
    grown(one)
    done = import_bundle(other.engine, other.asker, exported(one, tmp_path))
    assert knowledge(other) == knowledge(one)
    assert (done.found, done.new, done.changed, done.unchanged, done.links) == (6, 6, 0, 0, 2)
    assert done.events == (1,)
    assert audit_verify(other.engine, other.asker).ok
    assert other.words("prune") == {"Plums are sold."}
    assert other.read(lambda r: r.project_named("local", "an-alias")) == "orchard"
    near = other.read(lambda r: r.nearest("local", one.engine.embedder.query("Plums are sold."), None, None, 1))
    assert len(near) == 1


def test_foreign_chain_is_kept_beside_the_event(pair: tuple[World, World], tmp_path: Path) -> None:
    one, other = pair
    grown(one)
    import_bundle(other.engine, other.asker, exported(one, tmp_path))
    (kept,) = other.read(lambda r: list(r.attachments("local")))
    theirs = one.read(lambda r: list(r.events("local")))
    assert [event.hash for event in kept.chain] == [event.hash for event in theirs]
    assert all(touched.address is None for event in kept.chain for touched in event.touched)


def test_importing_again_changes_nothing(pair: tuple[World, World], tmp_path: Path) -> None:
    one, other = pair
    path = exported(grown(one), tmp_path)
    import_bundle(other.engine, other.asker, path)
    before = knowledge(other)
    done = import_bundle(other.engine, other.asker, path)
    assert (done.new, done.changed, done.links, done.events) == (0, 0, 0, ())
    assert other.seq() == 1
    assert knowledge(other) == before
    assert import_bundle(one.engine, one.asker, path).events == ()


def test_alias_that_another_project_has_stays_there_and_the_import_stays_idempotent(
    pair: tuple[World, World], tmp_path: Path
) -> None:
    one, other = pair
    one.name_project("orchard", "shared")
    other.name_project("meadow", "shared")
    path = exported(one, tmp_path)
    import_bundle(other.engine, other.asker, path)
    assert other.read(lambda r: r.project_named("local", "shared")) == "meadow"
    before = other.seq()
    import_bundle(other.engine, other.asker, path)
    assert other.seq() == before


def test_one_project_that_two_memories_name_differently_stays_one_on_either_side(
    pair: tuple[World, World], tmp_path: Path
) -> None:
    """One began before its repository had an origin, the other cloned it from there."""
    origin = "github.com/acme/orchard"
    one, other = pair
    ours = one.say("The gate is green.")
    one.name_project("orchard", origin, "id:0123")
    theirs = other.say("Plums are sold.", project=origin)
    other.do(Relate(theirs, other.say("Pears are not.", project=origin), "relates_to"), project=origin)
    other.say("Everywhere.", project="")
    paths = [exported(world, Path(mkdtemp(dir=tmp_path))) for world in (one, other)]
    import_bundle(one.engine, one.asker, paths[1])
    import_bundle(other.engine, other.asker, paths[0])
    assert one.record(theirs, "orchard")
    assert other.record(ours, origin)
    for world, name in ((one, "orchard"), (other, origin)):
        assert {project.name for project in world.read(lambda r: r.projects("local"))} - {""} == {name}
        assert world.read(lambda r: {r.project_named("local", n) for n in ("orchard", origin, "id:0123")}) == {name}
        assert {link.project for link in world.read(lambda r: r.all_links("local", None))} == {name}
    before = one.seq(), other.seq()
    import_bundle(one.engine, one.asker, exported(other, tmp_path))
    import_bundle(other.engine, other.asker, paths[0])
    assert (one.seq(), other.seq()) == before
    assert audit_verify(one.engine, one.asker).ok


def test_origin_that_no_write_has_told_of_yet_names_the_project_at_hand(
    pair: tuple[World, World], tmp_path: Path
) -> None:
    one, other = pair
    one.say("The gate is green.")
    theirs = other.say("Plums are sold.", project="github.com/acme/orchard")
    asker = replace(one.asker, aliases=("github.com/acme/orchard",))
    import_bundle(one.engine, asker, exported(other, tmp_path))
    assert one.record(theirs, "orchard")


def test_name_that_both_know_a_project_by_wins_over_what_came_in_under_the_others_name_before(
    pair: tuple[World, World], tmp_path: Path
) -> None:
    """Two clones without an origin: the first exchange makes a second project. Then both get the same origin."""
    one, other = pair
    other.say("Plums are sold.", project="meadow")
    import_bundle(one.engine, one.asker, exported(other, tmp_path))
    other.do(NameProject("meadow", ("github.com/acme/fruit",)))
    later = other.say("Pears are not.", project="meadow")
    asker = replace(one.asker, aliases=("orchard", "github.com/acme/fruit"))
    path = exported(other, tmp_path)
    done = import_bundle(one.engine, asker, path)
    assert done.projects == ("orchard",)
    assert one.record(later, "orchard")
    assert one.record(later, "meadow") is None
    assert import_bundle(one.engine, asker, path).events == ()


def test_one_project_of_a_bundle_can_be_chosen_and_sent_to_another(pair: tuple[World, World], tmp_path: Path) -> None:
    one, other = pair
    path = exported(grown(one), tmp_path)
    done = import_bundle(other.engine, other.asker, path, from_project="meadow", project="heath")
    assert (done.new, done.projects) == (1, ("heath",))
    assert other.read(lambda r: [p.name for p in r.projects("local") if p.name]) == ["heath"]
    with pytest.raises(NotFound, match="holds no project 'bog'") as problem:
        import_bundle(other.engine, other.asker, path, from_project="bog")
    assert problem.value.field == "from_project"
    with pytest.raises(Invalid, match="only one can go") as refused:
        import_bundle(other.engine, other.asker, path, project="heath")
    assert refused.value.field == "project"


def test_dry_run_tells_and_changes_nothing(pair: tuple[World, World], tmp_path: Path) -> None:
    one, other = pair
    other.say("Plums are sold.", at=1)
    before = knowledge(other)
    done = import_bundle(other.engine, other.asker, exported(grown(one), tmp_path), dry_run=True)
    assert (done.dry_run, done.new, done.changed, done.events) == (True, 5, 1, ())
    assert knowledge(other) == before
    assert other.seq() == 1


def test_only_what_is_new_is_touched_by_the_event(pair: tuple[World, World], tmp_path: Path) -> None:
    one, other = pair
    grown(one)
    import_bundle(other.engine, other.asker, exported(one, tmp_path))
    new = one.say("One more.")
    import_bundle(other.engine, other.asker, exported(one, tmp_path))
    last = other.read(lambda r: next(iter(r.events("local", latest=True))))
    assert [touched.address for touched in last.touched] == [new]


def test_secret_in_a_bundle_does_not_get_in(pair: tuple[World, World], tmp_path: Path) -> None:
    one, other = pair
    secret = "ghp_" + "a1B2c3D4" * 5
    lines = altered_lines(exported(grown(one), tmp_path))
    content = f"The token is {secret} for now."
    address = address_of("claim", content)
    made = address_of("summary", "About the token.", [address])
    copy = next(json.loads(line) for line in lines if '"copy"' in line[:9])
    # What was made from it comes first: the order of the lines must not matter.
    added = [
        {"node": made, "kind": "summary", "content": "About the token.", "inputs": [address]},
        {**copy, "copy": made},
        {"node": address, "kind": "claim", "content": content, "inputs": []},
        {**copy, "copy": address},
    ]
    path = written(tmp_path, [*lines[:-1], *(json.dumps(line) for line in added), json.dumps({"end": len(lines) + 3})])
    done = import_bundle(other.engine, other.asker, path)
    assert done.redacted == 2
    records = other.read(lambda r: r.records("local", r.addresses("local", "", None, 99), None, 2**62 - 1))
    assert not any(secret in record.node.content for record in records)
    kept = next(record.node for record in records if record.node.content.startswith("The token is"))
    about = next(record.node for record in records if record.node.content == "About the token.")
    assert about.inputs == (kept.address,)
    assert audit_verify(other.engine, other.asker).ok
    assert import_bundle(other.engine, other.asker, path).events == ()


def test_principal_cannot_import_into_projects_that_it_may_not_write(pair: tuple[World, World], tmp_path: Path) -> None:
    one, other = pair
    path = exported(grown(one), tmp_path)
    for asker in (other.as_(projects=frozenset({"orchard"})), other.as_(rights=READ_ONLY)):
        with pytest.raises(Forbidden):
            import_bundle(other.engine, asker, path)
    assert other.seq() == 0


def altered_lines(path: str) -> list[str]:
    return gzip.decompress(Path(path).read_bytes()).decode().splitlines()


def written(folder: Path, lines: list[str]) -> str:
    path = folder / "altered.bundle"
    path.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode()))
    return str(path)


def change(kind: str, /, **fields: Any) -> Callable[[list[str]], tuple[list[str], int]]:
    """Alter the first line of a kind; the number of the line that must be named."""

    def alter(lines: list[str]) -> tuple[list[str], int]:
        at = next(i for i, line in enumerate(lines) if line.startswith(f'{{"{kind}"'))
        shape = json.loads(lines[at])
        for name, value in fields.items():
            if value is ...:
                del shape[name]
            elif isinstance(value, dict) and isinstance(shape.get(name), dict):
                shape[name] |= value
            else:
                shape[name] = value
        return [*lines[:at], json.dumps(shape), *lines[at + 1 :]], at + 1

    return alter


ALTERATIONS: dict[str, Callable[[list[str]], tuple[list[str], int]]] = {
    "not a bundle": lambda lines: (['{"hello":1}', *lines[1:]], 1),
    "not JSON": lambda lines: ([*lines[:4], "{oops", *lines[5:]], 5),
    "not an object": lambda lines: ([*lines[:4], "[1]", *lines[5:]], 5),
    "blank line": lambda lines: ([*lines[:4], "", *lines[4:]], 5),
    "deeply nested": lambda lines: ([*lines[:4], "[" * 200_000, *lines[5:]], 5),
    "unknown line": lambda lines: ([*lines[:4], '{"surprise":1}', *lines[5:]], 5),
    "newer format": change("marrow", format=2),
    "no format": change("marrow", format=0),
    "format that is no number": change("marrow", format="1"),
    "header without head": change("marrow", head=...),
    "no end": lambda lines: (lines[:-1], len(lines)),
    "wrong end": lambda lines: ([*lines[:-1], '{"end":3}'], len(lines)),
    "a line is missing": lambda lines: ([*lines[:3], *lines[4:]], 0),
    "something after the end": lambda lines: ([*lines, '{"project":"x","aliases":[]}'], len(lines) + 1),
    "content altered": change("node", content="Something else."),
    "content that is not clean": change("node", content="Trailing space "),
    "content that is no text": change("node", content=5),
    "content with NUL": change("node", content="a\x00b"),
    "content too large": change("node", content="x" * (1024 * 1024 + 1)),
    "broken Unicode": change("node", content="\ud800"),
    "address altered": change("node", node="0" * 64),
    "kind": change("node", kind="Not A Kind"),
    "inputs": change("node", inputs=["short"]),
    "copy without node": change("copy", copy="0" * 64),
    "copy never said": change("copy", occurrences=[]),
    "copy without standing": change("copy", standing=...),
    "standing with a field too many": change("copy", standing={"more": 1}),
    "standing: state": change("copy", standing={"state": "undead"}),
    "standing: confidence": change("copy", standing={"confidence": 1.5}),
    "standing: confidence that is no number": change("copy", standing={"confidence": "high"}),
    "standing: not a number": change("copy", standing={"priority": float("nan")}),
    "standing: generation": change("copy", standing={"generation": "2"}),
    "standing: pinned": change("copy", standing={"pinned": 1}),
    "standing: tags": change("copy", standing={"tags": "a"}),
    "standing: too many tags": change("copy", standing={"tags": [f"t{n}" for n in range(4_097)]}),
    "standing: long alias": change("copy", standing={"aliases": ["x" * 201]}),
    "standing: tags over lines": change("copy", standing={"tags": ["a\nb"]}),
    "standing: huge time": change("copy", standing={"changed_at": 2**63}),
    "occurrence: time": change("copy", occurrences=[{"at": "now"}]),
    "occurrence: metadata": change(
        "copy",
        occurrences=[
            {"at": 1, "thread": "", "user": "", "service": "", "source": "", "chain": "", "metadata": "[]"},
        ],
    ),
    "occurrence: surrogate": change(
        "copy",
        occurrences=[
            {"at": 1, "thread": "\ud800", "user": "", "service": "", "source": "", "chain": "", "metadata": "{}"},
        ],
    ),
    "anchor": change("copy", anchors=[{"type": "wormhole", "target": "x", "detail": "{}"}]),
    "anchor's detail": change("copy", anchors=[{"type": "file", "target": "x", "detail": "{"}]),
    "link to itself": change("link", source="1" * 64, target="1" * 64),
    "link's rel": change("link", link="Not A Rel"),
    "link's end": change("link", target="12"),
    "link's flag": change("link", closed="no"),
    "project": change("project", aliases="x"),
    "event": change("event", event="{}"),
    "event that is no text": change("event", event=5),
}


@pytest.mark.parametrize("what", ALTERATIONS)
def test_bundle_that_is_not_in_order_is_refused_with_its_line_and_changes_nothing(
    pair: tuple[World, World], tmp_path: Path, what: str
) -> None:
    one, other = pair
    other.say("Here before.")
    before = knowledge(other)
    lines, number = ALTERATIONS[what](altered_lines(exported(grown(one), tmp_path)))
    with pytest.raises(Invalid) as problem:
        import_bundle(other.engine, other.asker, written(tmp_path, lines))
    assert problem.value.field == "source"
    assert problem.value.hint
    assert f"Line {number or ''}" in problem.value.message
    assert knowledge(other) == before
    assert other.seq() == 1


def test_chain_that_was_altered_is_refused(pair: tuple[World, World], tmp_path: Path) -> None:
    one, other = pair
    lines = altered_lines(exported(grown(one), tmp_path))
    at = next(i for i, line in enumerate(lines) if line.startswith('{"event"'))
    event = json.loads(json.loads(lines[at])["event"])
    event["summary"] = "nothing happened"
    lines[at] = json.dumps({"event": json.dumps(event)})
    with pytest.raises(Invalid, match="chain does not verify at event 1"):
        import_bundle(other.engine, other.asker, written(tmp_path, lines))
    without_last = [line for line in lines if not line.startswith('{"event"')]
    without_last[-1] = json.dumps({"end": len(without_last) - 1})
    import_bundle(other.engine, other.asker, written(tmp_path, without_last))
    assert other.read(lambda r: list(r.attachments("local"))) == []


@pytest.mark.parametrize(
    "raw", [b"", b"hello", b"\x1f\x8b", b"\x1f\x8b\x08\x00garbage", gzip.compress(b"", mtime=0), b"SQLite format 3"]
)
def test_file_that_is_no_bundle_is_refused(world: World, tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "x.bundle"
    path.write_bytes(raw)
    with pytest.raises(Invalid) as problem:
        import_bundle(world.engine, world.asker, str(path))
    assert "Line 1" in problem.value.message
    assert world.seq() == 0


def test_missing_file_is_not_found_and_a_folder_is_none(world: World, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        import_bundle(world.engine, world.asker, str(tmp_path / "nothing"))
    with pytest.raises(Invalid, match="folder"):
        import_bundle(world.engine, world.asker, str(tmp_path))


def renamed(lines: list[str], old: str, new: str, *kinds: str) -> list[str]:
    """The project of the lines of these kinds, called something else."""
    shapes = [json.loads(line) for line in lines]
    for shape in shapes:
        for kind in kinds:
            field = "project" if kind != "marrow" else "projects"
            if kind in shape and shape[field] == old:
                shape[field] = new
            elif kind in shape and isinstance(shape[field], list):
                shape[field] = [new if name == old else name for name in shape[field]]
    return [json.dumps(shape) for shape in shapes]


@pytest.mark.parametrize(
    ("new", "kinds"),
    [
        ("", ("copy",)),
        ("elsewhere", ("copy",)),
        ("elsewhere", ("link",)),
        ("elsewhere", ("project", "copy", "link")),
        ("all", ("marrow", "project", "copy", "link")),
        ("x" * 501, ("marrow", "project", "copy", "link")),
        ("or\u202edrahc", ("marrow", "project", "copy", "link")),
    ],
)
def test_bundle_of_one_project_cannot_write_anywhere_else_or_under_a_name_that_none_may_have(
    pair: tuple[World, World], tmp_path: Path, new: str, kinds: tuple[str, ...]
) -> None:
    one, other = pair
    path = tmp_path / "orchard.bundle"
    export(grown(one).engine, one.asker, str(path), project="orchard")
    lines = renamed(altered_lines(str(path)), "orchard", new, *kinds)
    with pytest.raises(Invalid, match="project"):
        import_bundle(other.engine, other.asker, written(tmp_path, lines))
    assert other.seq() == 0


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_truncated_bundle_is_refused(pair: tuple[World, World], tmp_path: Path, share: float) -> None:
    one, other = pair
    whole = Path(exported(grown(one), tmp_path)).read_bytes()
    path = tmp_path / "short.bundle"
    path.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(Invalid, match="Line "):
        import_bundle(other.engine, other.asker, str(path))
    assert other.seq() == 0


def test_bomb_is_refused_before_it_is_unpacked(world: World, tmp_path: Path) -> None:
    path = tmp_path / "bomb.bundle"
    with gzip.open(path, "wb") as file:
        file.write(b'{"marrow":"bundle","format":1,"namespace":"x","projects":null,"head":')
        file.write(b'{"seq":0,"at":0,"hash":"","root":""}}\n')
        for _ in range(64):
            file.write(b'{"project":"x","aliases":[]}\n' * 40_000)
    with pytest.raises(TooLarge) as problem:
        import_bundle(world.engine, world.asker, str(path), bytes_max=1_000_000)
    assert "1,000,000" in problem.value.message
    assert world.seq() == 0


def test_line_without_an_end_is_refused_at_the_limit(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("marrow.memory.bundle.LINE_BYTES_MAX", 10_000)
    path = tmp_path / "line.bundle"
    path.write_bytes(gzip.compress(b'{"marrow":"' + b"x" * 1_000_000))
    with pytest.raises(TooLarge, match="Line 1"):
        import_bundle(world.engine, world.asker, str(path))


@settings(suppress_health_check=list(HealthCheck), max_examples=150)
@given(data=st.data())
def test_no_alteration_of_a_bundle_gets_in_or_breaks_anything(data: st.DataObject, tmp_path_factory: Any) -> None:
    """Whatever happens to single values: it is refused with an error of ours, or what came in verifies."""
    folder = tmp_path_factory.mktemp("altered")
    source = grown(make_world("memory", folder))
    lines = altered_lines(exported(source, folder))
    at = data.draw(st.integers(0, len(lines) - 1))
    shape = json.loads(lines[at])
    junk = st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.lists(st.integers(), max_size=2)
    )
    value = data.draw(st.one_of(junk, st.dictionaries(st.text(max_size=3), junk, max_size=2)))
    holder, key = shape, data.draw(st.sampled_from(sorted(shape)))
    while isinstance(holder[key], dict | list) and holder[key] and data.draw(st.booleans()):
        holder = holder[key]
        key = data.draw(st.sampled_from(sorted(holder))) if isinstance(holder, dict) else 0
    holder[key] = value
    lines[at] = json.dumps(shape)
    target = make_world("memory", folder, "target")
    try:
        import_bundle(target.engine, target.asker, written(folder, lines))
    except MarrowError:
        assert target.seq() == 0
    assert audit_verify(target.engine, target.asker).problems == ()
    export(target.engine, target.asker, str(folder / "again"), overwrite=True)
    assert import_bundle(target.engine, target.asker, str(folder / "again")).events == ()
