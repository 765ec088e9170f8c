"""What is given to be saved, one text or many, as drafts."""

from __future__ import annotations

from typing import Any

from ..model.draft import Draft
from ..model.errors import Invalid
from ..model.link import make_anchor
from .table import Call

_ITEM_SPELLINGS = {"text": "content", "importance": "priority", "chain_id": "chain", "chain_name": "chain"}


def draft_of(item: Any, shared: dict[str, Any], call: Call, at_index: int) -> Draft:
    """A text or an object of a batch, with what is said of all of them where it says nothing itself."""
    fields = {**shared, "user": call.asker.scope.user}
    if isinstance(item, dict):
        for name, value in item.items():
            known = _ITEM_SPELLINGS.get(name, name)
            if known not in shared and known not in ("content", "user", "source"):
                raise Invalid(
                    f"Item {at_index} of the batch has an unknown field {name!r}.", field=f"batch[{at_index}]"
                )
            fields[known] = value
    else:
        fields["content"] = item
    if "content" not in fields:
        raise Invalid(f"Item {at_index} of the batch has no content.", field=f"batch[{at_index}]")
    fields["anchors"] = tuple(make_anchor(anchor) for anchor in _several(fields["anchors"], "anchors"))
    fields["links"] = tuple(_link(link) for link in _several(fields["links"], "links"))
    return Draft(**fields)


def _several(given: Any, field: str) -> list[Any]:
    """A list, or one thing that stands for itself."""
    if given is None:
        return []
    if isinstance(given, str | dict):
        return [given]
    if not isinstance(given, list | tuple):
        raise Invalid(f"{field} is a list.", hint='Such as ["src/app.py"].', field=field)
    return list(given)


def _link(given: Any) -> tuple[str, str]:
    if isinstance(given, dict) and isinstance(given.get("target"), str):
        return str(given.get("rel", "relates_to")), given["target"]
    if isinstance(given, str):
        rel, _, target = given.rpartition(":")
        return rel or "relates_to", target
    raise Invalid("A link is {rel, target}.", hint='{"rel": "caused_by", "target": "3fa9c1"}', field="links")
