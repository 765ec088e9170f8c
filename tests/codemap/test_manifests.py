"""Dependencies from the manifests of the common ecosystems."""

from __future__ import annotations

import pytest

from marrow.codemap.manifests import dependencies, is_manifest, same_name, same_version

MANIFESTS = {
    "pyproject.toml": (
        '[project]\ndependencies = ["numpy>=2,<3", "click[x] ~= 8.1 ; python_version > \'3\'"]\n'
        '[project.optional-dependencies]\ndev = ["pytest"]\n[dependency-groups]\nlint = ["ruff==0.14"]\n'
        '[tool.poetry.dependencies]\nhttpx = {version = "^0.27"}\n',
        {"numpy": ">=2,<3", "click": "~= 8.1", "pytest": "", "ruff": "==0.14", "httpx": "^0.27"},
    ),
    "requirements-dev.txt": (
        "# tools\n-r base.txt\nflask==3.0.1 --hash=sha256:ab\nrequests >= 2  # http\n\n",
        {"flask": "==3.0.1", "requests": ">= 2"},
    ),
    "setup.cfg": (
        "[options]\ninstall_requires =\n    attrs>=23\n    rich\n\n[flake8]\nmax = 1\n",
        {"attrs": ">=23", "rich": ""},
    ),
    "package.json": (
        '{"dependencies": {"react": "^18.2.0"}, "devDependencies": {"@types/node": "20"}}',
        {"react": "^18.2.0", "@types/node": "20"},
    ),
    "go.mod": (
        "module a.b/c\n\ngo 1.22\n\nrequire (\n\tgithub.com/x/y v1.2.3 // indirect\n)\n"
        "require golang.org/x/sync v0.7.0\nreplace github.com/x/y => ../y\n",
        {"github.com/x/y": "v1.2.3", "golang.org/x/sync": "v0.7.0"},
    ),
    "Cargo.toml": (
        '[dependencies]\nserde = "1.0"\ntokio = { version = "1.37", features = ["full"] }\n'
        '[dev-dependencies]\ninsta = "1"\n',
        {"serde": "1.0", "tokio": "1.37", "insta": "1"},
    ),
    "pom.xml": (
        "<project><properties><v>5.1</v></properties><dependencies><dependency><groupId>org.a</groupId>"
        "<artifactId>b</artifactId><version>${v}</version></dependency></dependencies></project>",
        {"org.a:b": "5.1"},
    ),
    "build.gradle.kts": ('dependencies {\n  implementation("org.a:b:1.2")\n  // api("x:y:1")\n}\n', {"org.a:b": "1.2"}),
    "Gemfile": (
        "gem 'rails', '~> 7.1', '>= 7.1.2'\n# gem 'old'\ngem \"pg\"\n",
        {"rails": "~> 7.1, >= 7.1.2", "pg": ""},
    ),
    "composer.json": (
        '{"require": {"php": ">=8.2", "monolog/monolog": "^3"}}',
        {"php": ">=8.2", "monolog/monolog": "^3"},
    ),
    "App.csproj": (
        '<Project><ItemGroup><PackageReference Include="Serilog" Version="3.1.1" /></ItemGroup></Project>',
        {"Serilog": "3.1.1"},
    ),
    "pubspec.yaml": (
        "dependencies:\n  http: ^1.2.0\ndev_dependencies:\n  lints: any\n",
        {"http": "^1.2.0", "lints": "any"},
    ),
}


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_manifest_gives_names_and_versions(name: str) -> None:
    text, expected = MANIFESTS[name]
    assert is_manifest(f"some/folder/{name}")
    assert dependencies(f"some/folder/{name}", text) == expected


def test_a_broken_manifest_gives_nothing() -> None:
    for name in MANIFESTS:
        assert dependencies(name, "]]]{{{ \0 <<<") == {} or name.startswith("requirements")


def test_other_files_are_no_manifests() -> None:
    assert not is_manifest("src/app.py")
    assert dependencies("src/app.py", "numpy>=2") == {}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (">=2", ">= 2", True),
        (">=2,<3", "<3, >=2", True),
        ("v1.2.3", "1.2.3", True),
        (">=2", ">=2.1", False),
        (">2", ">=2", False),
        ("", "*", True),
    ],
)
def test_versions_are_compared_by_what_they_ask_for(one: str, other: str, same: bool) -> None:
    assert same_version(one, other) == same


def test_names_are_compared_as_the_indexes_do() -> None:
    assert same_name("Flask_SQLAlchemy", "flask-sqlalchemy")
    assert same_name("monolog", "monolog/monolog")
    assert not same_name("react", "react-dom")
