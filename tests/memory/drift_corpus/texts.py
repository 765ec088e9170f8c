"""Markdown, TOML, JSON, YAML: what has no grammar here."""

from __future__ import annotations

from .case import CHANGED, GONE, HOLDS, MOVED, Case

GUIDE, CONFIG, PACKAGE, FLOW = "docs/deploy.md", "pyproject.toml", "package.json", "ci/build.yaml"
FILES = {
    GUIDE: """# Deploying

We deploy on Tuesdays, after the tests were green for an hour.

* tag the commit
* run `make release`

## Rolling back

Take the tag before, and run `make release` again. It takes five minutes.
""",
    CONFIG: """[project]
name = "shop"
dependencies = ["numpy>=2", "click~=8.1"]

[tool.shop]
timeout = 30 # seconds
level = "strict"
""",
    PACKAGE: """{
  "name": "web",
  "dependencies": {"react": "^18.2.0", "zod": "3.22.4"},
  "settings": {"retries": 3, "hosts": ["a", "b"]}
}
""",
    FLOW: """jobs:
  test:
    steps:
      - run: make test
      - run: make lint
    timeout: 20
""",
}
WRAPPED = """# Deploying

We deploy on Tuesdays,
after the tests were green
for an hour.

- tag the commit
- run `make release`

Rolling back is below.

## Rolling back

Take the tag before, and run `make release` again. It takes five minutes.
"""
LAID_OUT = """{
    "name": "web",
    "dependencies": {
        "react": "^18.2.0",
        "zod": "3.22.4"
    },
    "settings": {
        "retries": 3,
        "hosts": [
            "a",
            "b"
        ]
    }
}
"""


def edit(name: str, anchor: object, verdict: str, path: str, old: str, new: str, says: str = "") -> Case:
    return Case(f"text: {name}", anchor, verdict, FILES, ((path, old, new),), says=says)


CASES = (
    Case("text: a paragraph wrapped anew", f"{GUIDE}:3-6", HOLDS, FILES, after={GUIDE: WRAPPED}),
    edit("a word", f"{GUIDE}:3", CHANGED, GUIDE, "Tuesdays", "Thursdays", "Thursdays"),
    edit(
        "a section by its heading",
        {"type": "symbol", "symbol": "Deploying.Rolling back", "path": GUIDE},
        CHANGED,
        GUIDE,
        "five minutes",
        "an hour",
        "an hour",
    ),
    edit("a section taken out", f"{GUIDE}:8-10", GONE, GUIDE, FILES[GUIDE][FILES[GUIDE].index("## Rolling") :], ""),
    Case("text: json with another layout", f"{PACKAGE}:3-4", HOLDS, FILES, after={PACKAGE: LAID_OUT}),
    edit("a number in json", f"{PACKAGE}:4", CHANGED, PACKAGE, '"retries": 3', '"retries": 4', "4"),
    edit(
        "space and comments in toml",
        f"{CONFIG}:6-7",
        HOLDS,
        CONFIG,
        "timeout = 30 # seconds",
        "timeout=30    # in seconds",
    ),
    edit("a value in toml", f"{CONFIG}:6", CHANGED, CONFIG, "timeout = 30", "timeout = 45", "45"),
    edit("a depth in yaml", f"{FLOW}:4-6", CHANGED, FLOW, "    timeout: 20", "timeout: 20"),
    edit("a comment in yaml", f"{FLOW}:4-6", MOVED, FLOW, "    steps:\n", "    # in order\n    steps:\n"),
    edit(
        "a version", {"type": "dependency", "name": "numpy"}, CHANGED, CONFIG, "numpy>=2", "numpy>=2.1", ">=2 -> >=2.1"
    ),
    edit("another dependency", {"type": "dependency", "name": "numpy"}, HOLDS, CONFIG, "click~=8.1", "click~=8.2"),
    edit("space in a version", {"type": "dependency", "name": "numpy"}, HOLDS, CONFIG, "numpy>=2", "numpy >= 2"),
    edit(
        "a dependency taken out", {"type": "dependency", "name": "zod"}, GONE, PACKAGE, ', "zod": "3.22.4"', "", "zod"
    ),
)
