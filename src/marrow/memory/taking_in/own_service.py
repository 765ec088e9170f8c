"""The service that a text or a file belongs to for which none was named: that of the repository at hand."""

from __future__ import annotations

from ...ingest.service_name import manifest_name
from ...repository import locate
from ..engine import Asker, Engine
from .codebase import service_of


def own_service(engine: Engine, asker: Asker, given: str = "") -> str:
    """As the repository is called here, or what the manifests of a folder in none say; "" where neither is there."""
    if given.strip() or not asker.root:
        return given.strip()
    if locate(asker.root) is None and not manifest_name(asker.root):
        return ""
    return service_of(engine, asker, asker.root)
