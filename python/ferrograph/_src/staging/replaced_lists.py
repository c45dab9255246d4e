"""Lists that iterations of the graph put in the place of one from before, with other lengths.

The graph then carries the list's elements, as it does where an iteration makes a list longer.
"""

from __future__ import annotations

from ..heap import region_log
from ..heap.adapters import registry
from ..heap.location import Container, State, is_grown
from ..heap.trace_context import is_proxy, really, record_of, thread
from ..hints import Any
from . import merging, tensor_lists, variants
from .retrace import RetraceLoop


def fitted(label: str, before: Any, after: Any) -> Any:
    """What an iteration leaves where ``before`` was before the loop, in the form in which the loop
    carries that: started again where lists from before the loop are to have that form.

    Called in the region of the loop's body.
    """
    before, made = really(before), really(after)
    if type(before) is not list or type(made) is not list:
        return after
    if not is_grown(before):
        if _have_one_content(before, made) and len(before) == len(made) and not is_grown(made):
            return after
        raise RetraceLoop([_growing(label, before, (before, made))])
    if _has_form(made):
        return made
    original = (thread.trace.aliases.copies or {}).get(id(made), (made, made))[1]
    snapshot = region_log.current_snapshot()
    grown = _growing(label, original, (before, made))
    if original is not made or (snapshot is not None and snapshot.knows(made)):
        raise RetraceLoop([grown])
    grown.start()
    return made


def name_itself(state: State, owner: Any) -> None:
    """Put an object in the place of what stands for it, among whose contents nothing is chosen."""
    held = state.read()
    if any(is_proxy(v) and really(v) is owner for v in held):
        state.write([owner if really(v) is owner else v for v in held])


def _have_one_content(*held: list) -> bool:
    records = map(record_of, held)
    return all(r is None or r.versions is None for r in records)


def _has_form(items: list) -> bool:
    return len(items) == 1 and type(items[0]) is tensor_lists.Grown


def _growing(label: str, items: list, both: tuple[list, list]) -> merging.GrownList:
    """The place of a list that the graph is to grow, with the elements of lists like it."""
    place, *others = (_place(label, v) for v in (items, *both))
    elements = merging.elements_of(place, *(p.get() for p in others))
    plain = [v for p in others for c in variants.contents_of(p.get()) for v in c]
    if plain := [v for v in plain if type(v) is not tensor_lists.Grown]:
        elements.join(plain)
    return merging.GrownList(place, elements)


def _place(label: str, items: list) -> Container:
    place = registry.content_place(items)
    assert isinstance(place, Container)  # as that of every list
    place.label = label
    return place
