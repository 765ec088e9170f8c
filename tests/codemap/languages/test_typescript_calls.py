"""What imports and calls lead to in JavaScript and TypeScript."""

from __future__ import annotations

import json

from marrow.codemap.facts import InMemory
from marrow.codemap.language import Finder
from marrow.codemap.languages.typescript_modules import finder
from marrow.model.code import FileMap

from .typescript_maps import targets


def find_in(files: dict[str, str]) -> Finder:
    maps = {path: FileMap("typescript") for path in files if not path.endswith(".json")}
    return finder(InMemory(maps, {path: text for path, text in files.items() if path.endswith(".json")}))


def test_relative_imports_are_found_with_every_ending() -> None:
    find = find_in(dict.fromkeys(("src/a.ts", "src/b.tsx", "src/c/index.ts", "src/d.d.ts", "src/e.js", "index.ts"), ""))
    assert list(find("src/a.ts", "./b")) == ["src/b.tsx"]
    assert list(find("src/c/index.ts", "../a.js")) == ["src/a.ts"]
    assert list(find("src/a.ts", "./c")) == ["src/c/index.ts"]
    assert list(find("src/a.ts", "./d")) == ["src/d.d.ts"]
    assert list(find("src/a.ts", "./e.js")) == ["src/e.js"]
    assert list(find("src/a.ts", "..")) == ["index.ts"]
    assert list(find("src/a.ts", "../../outside")) == []
    assert list(find("src/a.ts", "react")) == []


def test_names_of_modules_are_found_by_the_nearest_tsconfig() -> None:
    config = """{
      // aliases
      "compilerOptions": { "baseUrl": ".", "paths": { "@app/*": ["src/*"], "~": ["src/main.ts"], }, },
    }"""
    find = find_in({"src/main.ts": "", "src/x/y.ts": "", "lib/z.ts": "", "tsconfig.json": config})
    assert list(find("src/main.ts", "@app/x/y")) == ["src/x/y.ts"]
    assert list(find("src/x/y.ts", "~")) == ["src/main.ts"]
    assert list(find("src/x/y.ts", "lib/z")) == ["lib/z.ts"]


def test_a_tsconfig_may_extend_another() -> None:
    base = json.dumps({"compilerOptions": {"paths": {"@/*": ["./src/*"]}}})
    files = {"src/a.ts": "", "pkg/b.ts": "", "pkg/tsconfig.json": '{"extends": "../tsconfig.base.json"}'}
    find = find_in({**files, "tsconfig.base.json": base})
    assert list(find("pkg/b.ts", "@/a")) == ["src/a.ts"]


def test_packages_of_a_repository_are_found_by_their_manifests() -> None:
    core = {
        "name": "@acme/core",
        "main": "dist/index.js",
        "exports": {".": "./dist/index.js", "./sub/*": "./dist/s/*.js"},
    }
    files = {
        "packages/core/package.json": json.dumps(core),
        "packages/core/src/index.ts": "",
        "packages/core/src/s/one.ts": "",
        "packages/ui/package.json": json.dumps({"name": "ui", "imports": {"#in": "./src/in.ts"}}),
        "packages/ui/src/in.ts": "",
        "packages/ui/src/deep/thing.ts": "",
        "node_modules/left/package.json": json.dumps({"name": "left"}),
    }
    find = find_in(files)
    assert list(find("packages/ui/src/in.ts", "@acme/core")) == ["packages/core/src/index.ts"]
    assert list(find("packages/ui/src/in.ts", "@acme/core/sub/one")) == ["packages/core/src/s/one.ts"]
    assert list(find("packages/ui/src/deep/thing.ts", "#in")) == ["packages/ui/src/in.ts"]
    assert list(find("packages/core/src/index.ts", "ui/deep/thing")) == ["packages/ui/src/deep/thing.ts"]
    assert list(find("packages/core/src/index.ts", "left")) == []


def test_broken_manifests_are_as_if_they_were_not_there() -> None:
    files = {"a.ts": "", "tsconfig.json": '{"compilerOptions": {"paths": [1]', "package.json": "[]"}
    assert list(find_in(files)("a.ts", "b")) == []
    odd = {
        "a.ts": "",
        "tsconfig.json": '{"compilerOptions": {"paths": {"x": 3, "y": [4]}, "baseUrl": 5}, "extends": 6}',
    }
    assert list(find_in(odd)("a.ts", "x")) == []


# Resolved.


def test_calls_are_followed_through_re_exports_and_defaults() -> None:
    files = {
        "lib/store.ts": "export default class Store { open() { return this; } static make(): Store { return null!; } }",
        "lib/extra.ts": "export function help() {}\nfunction own() {}\nexport { own as mine };",
        "lib/index.ts": "export { default as Store } from './store.js';\nexport * from './extra';",
        "main.ts": """
            import { Store, help, mine } from './lib';
            import * as lib from './lib/index';
            help(); mine(); lib.help(); new Store().open(); Store.make().open();
            """,
    }
    assert targets(files, "main.ts") == {
        "help": "lib/extra.ts:help",
        "mine": "lib/extra.ts:own",
        "lib.help": "lib/extra.ts:help",
        "Store{}": "lib/store.ts:Store",
        "Store{}.open": "lib/store.ts:Store.open",
        "Store.make": "lib/store.ts:Store.make",
        "Store.make().open": "lib/store.ts:Store.open",
    }


def test_common_js_modules_give_what_they_export() -> None:
    files = {
        "thing.js": "class Thing { go() {} }\nmodule.exports = Thing;",
        "tools.js": "const make = () => 1;\nfunction own() {}\nmodule.exports = { make, mine: own, inline() {} };",
        "index.js": "const tools = require('./tools');\nmodule.exports = { Thing: require('./thing'), tools };",
        "main.js": """
            const Thing = require('./thing');
            const { make, mine } = require('./tools');
            const all = require('./index');
            new Thing().go(); make(); mine(); all.tools.make(); require('./tools').inline();
            """,
    }
    assert targets(files, "main.js") == {
        "Thing{}": "thing.js:Thing",
        "Thing{}.go": "thing.js:Thing.go",
        "make": "tools.js:make",
        "mine": "tools.js:own",
        "all.tools.make": "tools.js:make",
    }


def test_methods_are_found_by_types_fields_and_bases() -> None:
    files = {
        "a.ts": """
            interface Log { write(line: string): void }
            abstract class Base { protected log: Log; start() { this.run(); } abstract run(): void; }
            class Job extends Base {
              constructor(private queue: Queue, items: Item[]) { super(); items.forEach(item => item.pack()); }
              run() { this.log.write('x'); this.queue.next().pack(); super.start(); this.start(); this.size.grow(); }
              get size(): Item { return this.queue.next(); }
            }
            class Queue { next(): Item { return null!; } }
            class Item { pack() {} grow() {} }
            """
    }
    assert targets(files, "a.ts") == {
        "this.run": "a.ts:Base.run",
        "super": "a.ts:Base",
        "item.pack": "a.ts:Item.pack",
        "this.log.write": "a.ts:Log.write",
        "this.queue.next": "a.ts:Queue.next",
        "this.queue.next().pack": "a.ts:Item.pack",
        "super.start": "a.ts:Base.start",
        "this.start": "a.ts:Base.start",
        "this.size.grow": "a.ts:Item.grow",
    }


# What the grammar or the world does to it.
