"""The library that runs graphs: what it does by itself besides."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_it_leaves_no_report_about_this_machine(tiny: Path, tmp_path: Path, child_environment: dict[str, str]) -> None:
    """Its builds keep an identifier and events in the home, and send them; Marrow tells it not to."""
    home = tmp_path / "home"
    home.mkdir()
    found = {name: value for name, value in child_environment.items() if not name.startswith(("ORT_", "XDG_"))}
    script = "import sys, pathlib, marrow.providers.graph as g; g.Graph(pathlib.Path(sys.argv[1]))"
    subprocess.run(
        [sys.executable, "-c", script, str(tiny / "model.onnx")],
        env={**found, "HOME": str(home)},
        check=True,
        timeout=60,
    )
    assert list(home.rglob("*")) == []
