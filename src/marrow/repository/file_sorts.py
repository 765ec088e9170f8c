"""What sort of file this is, by its name and its first bytes: one with secrets, a generated one, a binary one."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from .files import BUILD_FOLDERS

SECRET, GENERATED, BINARY, LARGE = "holds secrets", "generated", "binary", "too large"
LOOKED_AT = 8_192
_MARKED_IN = 1_024

_SECRET_NAMES = frozenset(
    ".env .envrc .netrc _netrc .npmrc .pypirc .pgpass .htpasswd .git-credentials .dockercfg .vault-token "
    "credentials.json secrets.json secrets.yml secrets.yaml secrets.toml kubeconfig terraform.tfstate "
    "id_rsa id_dsa id_ecdsa id_ed25519".split()
)
_SECRET_ENDS = (".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", ".asc", ".gpg", ".tfstate.backup")
# A folder that holds nothing but what its owner alone should see.
_SECRET_FOLDERS = frozenset((".ssh", ".gnupg", ".aws", ".kube", ".docker"))
_SAMPLE = re.compile(r"\.(?:example|sample|template|dist|defaults?|test)$")
_GENERATED_NAMES = frozenset(
    "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lockb poetry.lock pdm.lock uv.lock "
    "pipfile.lock cargo.lock go.sum gemfile.lock composer.lock packages.lock.json flake.lock mix.lock "
    "podfile.lock".split()
)
_GENERATED = re.compile(
    r"\.min\.(?:js|css)$|\.(?:js|css|mjs)\.map$|_pb2(?:_grpc)?\.pyi?$|\.pb\.(?:go|cc|h)$|\.g\.dart$|\.designer\.cs$"
    r"|\.generated\.[a-z]+$|\.snap$"
)
_MARK = re.compile(rb"@generated\b|\bDO NOT EDIT\b|\bautomatically generated\b|\bauto-?generated\b", re.I)
_UNSEEN = dict.fromkeys((*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF))
_TESTS = frozenset("test tests spec specs __tests__ fixtures testdata".split())
_TEST = re.compile(r"^test_|_test\.|\.test\.|\.spec\.|^conftest\.py$|tests?\.(?:java|kt|cs|swift)$")
_BINARY_SUFFIXES = frozenset(
    ".png .jpg .jpeg .gif .webp .ico .bmp .tiff .pdf .zip .gz .bz2 .xz .zst .7z .tar .jar .war .class .so .dylib .dll "
    ".exe .o .a .pyc .pyd .whl .wasm .woff .woff2 .ttf .otf .eot .mp3 .mp4 .mov .avi .mkv .wav .flac .ogg .db .sqlite "
    ".sqlite3 .npy .npz .onnx .pt .bin .parquet .lockb".split()
)


def is_inside_git(path: str) -> bool:
    """Whether a path leads into a git directory."""
    if path.isascii() and "git" not in path.lower():
        return False  # nearly every path, and each of a repository is asked about
    return any(_as_folded(part) in (".git", "git~1") for part in PurePosixPath(path).parts)


def _as_folded(name: str) -> str:
    """A name as file systems may read it that know no case, no dots and spaces at its end, or no marks of width."""
    return name.translate(_UNSEEN).lower().rstrip(". ").partition(":")[0]


def is_secret(path: str) -> bool:
    """Whether a file by this name is there to hold secrets. Examples of such files hold none."""
    whole = PurePosixPath(path.lower())
    name = whole.name
    if _SECRET_FOLDERS.intersection(whole.parts[:-1]):
        return True
    if name in _SECRET_NAMES or name.endswith(_SECRET_ENDS):
        return True
    return name.startswith(".env.") and _SAMPLE.search(name) is None


def is_generated(path: str, begins: bytes = b"", *, is_own: bool = False) -> bool:
    """Whether a program wrote it: by its name, its folder, or what it says at its beginning. With `is_own` its folder
    is known to hold what somebody wrote."""
    whole = PurePosixPath(path.lower())
    if whole.name in _GENERATED_NAMES or _GENERATED.search(whole.name):
        return True
    is_in_build = not is_own and not BUILD_FOLDERS.isdisjoint(whole.parts[:-1])
    return is_in_build or _MARK.search(begins[:_MARKED_IN]) is not None


def is_test(path: str) -> bool:
    """Whether it tests other code, or is there for tests."""
    *folders, name = PurePosixPath(path.lower()).parts or ("",)
    return bool(_TESTS.intersection(folders)) or _TEST.search(name) is not None


def is_binary_name(path: str) -> bool:
    return PurePosixPath(path.lower()).suffix in _BINARY_SUFFIXES


def is_binary(begins: bytes) -> bool:
    """As git has it: a NUL near the beginning. Text in UTF-16 counts as binary too."""
    return b"\0" in begins[:LOOKED_AT]
