"""A name that very many things have: what is meant is found all the same, where its type or package says which.

Rust's `new` and Go's `String` are such names in every project of some size."""

from __future__ import annotations

from pathlib import Path

from marrow.memory.code.facts import DEFINED_MAX
from marrow.memory.code.kept_map import map_at

from .conftest import edges

MANY = DEFINED_MAX + 6


def written(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def test_new_of_a_type_of_rust_is_found_however_many_types_have_one(tmp_path: Path) -> None:
    types = [f"T{at:03}" for at in range(MANY)]
    each = "pub struct {0};\nimpl {0} {{\n    pub fn new() -> {0} {{ {0} }}\n}}\n"
    files = {f"src/{one.lower()}.rs": each.format(one) for one in types}
    files["Cargo.toml"] = '[package]\nname = "many"\n'
    mods = "".join(f"mod {one.lower()};\n" for one in types)
    calls = "".join(f"    crate::{one.lower()}::{one}::new();\n" for one in types)
    files["src/lib.rs"] = f"{mods}fn all() {{\n{calls}}}\n"
    kept = map_at(tmp_path / "maps", str(written(tmp_path / "project", files)))
    kept.update(1_000)
    assert {target for _, caller, _, target in edges(kept) if caller == "all"} == {f"{one}.new" for one in types}


def test_a_method_of_go_is_found_however_many_types_have_one_of_its_name(tmp_path: Path) -> None:
    types = [f"T{at:03}" for at in range(MANY)]
    files = {"go.mod": "module example.org/many\n"}
    for one in types:
        files[f"p/{one.lower()}.go"] = f"package p\n\ntype {one} struct{{}}\n"
        files[f"p/{one.lower()}_said.go"] = f'package p\n\nfunc (t {one}) Said() string {{ return "" }}\n'
    calls = "".join(f"\t{one}{{}}.Said()\n" for one in types)
    files["p/all.go"] = f"package p\n\nfunc all() {{\n{calls}}}\n"
    kept = map_at(tmp_path / "maps", str(written(tmp_path / "project", files)))
    kept.update(1_000)
    found = {target for _, caller, _, target in edges(kept) if caller == "all"}
    assert found == {*types, *(f"{one}.Said" for one in types)}


def test_a_function_of_a_package_of_go_is_found_however_many_packages_have_one_of_its_name(tmp_path: Path) -> None:
    packages = [f"p{at:03}" for at in range(MANY)]
    files = {"go.mod": "module example.org/many\n"}
    for one in packages:
        files[f"{one}/made.go"] = f"package {one}\n\nfunc Made() int {{ return 1 }}\n"
        files |= {f"{one}/more{at}.go": f"package {one}\n\nfunc more{at}() {{}}\n" for at in range(4)}
        files[f"{one}/used.go"] = f"package {one}\n\nfunc used() int {{ return Made() }}\n"
    imports = "".join(f'\t"example.org/many/{one}"\n' for one in packages)
    calls = "".join(f"\t{one}.Made()\n" for one in packages)
    files["main.go"] = f"package main\n\nimport (\n{imports})\n\nfunc main() {{\n{calls}}}\n"
    kept = map_at(tmp_path / "maps", str(written(tmp_path / "project", files)))
    kept.update(1_000)
    found = {(caller, path) for _, caller, path, target in edges(kept) if target == "Made"}
    assert found == {(by, f"{one}/made.go") for one in packages for by in ("main", "used")}
