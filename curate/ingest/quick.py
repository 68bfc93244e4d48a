"""The short way for the usual line: plain text under names seen before, nothing nested in it.

The lines of a known shape are decoded straight into the fields that count, by a decoder made for
that shape. What does not fit is left to `generic`, which makes the same event of it, several times
slower. A log of millions of lines is read mostly on this way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec

from curate.ingest.chunks import MAX_CHUNKS, ChunkNames, Layout, chunks_of, layout
from curate.ingest.envelopes import KEYS
from curate.ingest.rows import PAGE_KEYS
from curate.ingest.values import CODED, LONGEST_ID, MAX_TEXT, count, moment, whole_ms
from curate.model.events import QuestionEvent, RawChunk, RawText
from curate.model.plain import Json

Reader = Callable[[bytes, int], QuestionEvent | None]
"""Makes the event of a line of plain text, given its number, or None: read it the long way. The
event has an id or a time.
"""

_HARD = ("target", "rating", "feedback_id", "history", "refused", "standalone", "title")
_SINGLE = ("id", "session", "user", "ts", "answer", "chunks")
_MEASURES = ("latency_ms", "tokens_in", "tokens_out")
_MOST_PLANS = 64
_MOST_TRIED = 4
_MOST_KEYS = 100
_MOST_NAMES = 10_000
_LONGEST_TIME = 40
_NOT_SO = (msgspec.MsgspecError, RecursionError)

# Objects are left to `generic`, which may know the names in them.
_ANY: Any = str | int | float | bool | list[Any] | None
_NAME: Any = Annotated[str, msgspec.Meta(max_length=LONGEST_ID)] | int | None
_TYPES: dict[str, Any] = {
    "question": Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_TEXT)],
    "id": _NAME,
    "session": _NAME,
    "user": _NAME,
    "ts": Annotated[str, msgspec.Meta(max_length=_LONGEST_TIME)] | int | float | None,
    "answer": Annotated[str, msgspec.Meta(max_length=MAX_TEXT)] | None,
}
_NO_CHUNKS: Any = Annotated[list[Any], msgspec.Meta(max_length=0)] | None


@dataclass(frozen=True, slots=True)
class _Plan:
    """A shape of rows: what decodes its lines into an object with an attribute for each field.

    Of several ids the first is `id`, and `ids` are the attributes that hold the others. Some
    fields may be `measured`: latency or tokens. `chunks` is the key of the retrieved
    chunks, if there is one; `layout` says where what is in them, once they have been seen to be
    flat objects with the `inner` keys at most, and `mixed` that they are anything.
    """

    decode: Callable[[bytes], Any]
    ids: tuple[str, ...]
    measured: bool
    chunks: str = ""
    layout: Layout | None = None
    inner: frozenset[str] = frozenset()
    mixed: bool = False

    def foresees(self, row: Json) -> bool:
        """Say whether the chunks of a row are of the kind that is decoded."""
        found = row.get(self.chunks)
        if not found or self.mixed or not isinstance(found, list):
            return True
        keys = _inner(found)
        return keys is not None and keys <= self.inner


class Quick:
    """Reads lines whose keys are those of a row before, as long as the field map stays the same."""

    def __init__(self, chunk_names: ChunkNames) -> None:
        self._chunk_names = chunk_names
        self._plans: dict[tuple[str, ...], _Plan | None] = {}
        self._latest: list[_Plan] = []
        self._made = 0

    def forget(self) -> None:
        """The field map has changed: look at every shape anew."""
        self._plans.clear()
        self._latest.clear()

    def learn(self, row: Json, paths: Mapping[str, Sequence[str]]) -> None:
        """Look at the shape of a row that was read the long way, whose names `paths` knows."""
        shape = tuple(row)
        plan = before = self._plans.get(shape)
        if shape not in self._plans or (before is not None and not before.foresees(row)):
            if self._made >= _MOST_PLANS:
                return
            self._made += 1
            plan = self._plans[shape] = _plan(row, paths, self._chunk_names, before)
        if plan is not None and (not self._latest or plan is not self._latest[0]):
            others = [one for one in self._latest if one is not before and one is not plan]
            self._latest[:] = [plan, *others][:_MOST_TRIED]

    def reader(self, source: str) -> Reader:
        """Return what reads the lines of a source's log."""
        # Every line comes by here: what is looked up often has a name of its own.
        latest, names, chunk_names = self._latest, _Names({None: None}), self._chunk_names
        known, coded, fromisoformat, utc = names.get, CODED, datetime.fromisoformat, UTC

        def read(line: bytes, number: int) -> QuestionEvent | None:
            for plan in latest:
                try:
                    row = plan.decode(line)
                    break
                except _NOT_SO:
                    continue
            else:
                return None
            if plan is not latest[0]:
                latest.remove(plan)
                latest.insert(0, plan)
            asked, answer, at = row.question, row.answer, row.ts
            if asked[0] in coded or not (asked := asked.strip()):
                return None
            if answer:
                if answer[0] in coded:
                    return None
                answer = RawText(answer) if (answer := answer.strip()) else None
            else:
                answer = None
            own = row.id
            if own is not None:
                own = own.strip() if type(own) is str else str(own)
                own = RawText(own) if own else None
            ids: tuple[RawText, ...] = () if own is None else (own,)
            if plan.ids:
                ids = _ids(ids, row, plan.ids)
            if at is not None:
                try:
                    found = fromisoformat(at)
                except (TypeError, ValueError):
                    at = moment(at)
                else:
                    at = found if found.tzinfo is utc else moment(at)
            if at is None and not ids:
                return None
            session, user = row.session, row.user
            chunks: tuple[RawChunk, ...] = ()
            try:
                if session is not None and (session := known(session)) is None:
                    session = names[row.session]
                if user is not None and (user := known(user)) is None:
                    user = names[row.user]
                if row.chunks:
                    flat = plan.layout is not None
                    chunks = (
                        _chunks_in(row.chunks, names)
                        if flat
                        else chunks_of(row.chunks, True, chunk_names)
                    )
            except _Unfit:
                return None
            return QuestionEvent(
                source,
                number,
                RawText(asked),
                ids[0] if ids else None,
                ids,
                session,
                user,
                at,
                None,
                (),
                answer,
                None,
                chunks,
                None,
                whole_ms(row.latency_ms) if plan.measured else None,
                False,
                count(row.tokens_in) if plan.measured else None,
                count(row.tokens_out) if plan.measured else None,
            )

        return read


class _Unfit(Exception):
    """This name is for the long way."""


class _Names(dict[str | int | None, RawText | None]):
    """Names that come again and again, each made once. Raises `_Unfit`."""

    def __missing__(self, name: str | int) -> RawText:
        text = str(name)
        if text[:1] in CODED or len(text) > LONGEST_ID or not (text := text.strip()):
            raise _Unfit
        if len(self) >= _MOST_NAMES:
            self.clear()
            self[None] = None
        made = self[name] = RawText(text)
        return made


def _ids(first: tuple[RawText, ...], row: Any, names: Sequence[str]) -> tuple[RawText, ...]:
    values = (getattr(row, name) for name in names)
    others = (str(value).strip() for value in values if value is not None)
    return tuple(dict.fromkeys((*first, *(RawText(value) for value in others if value))))


def _chunks_in(rows: Sequence[Any], names: _Names) -> tuple[RawChunk, ...]:
    return tuple(
        RawChunk(rank, names[row.id], names[row.source], names[row.heading], row.score)
        for rank, row in enumerate(rows[:MAX_CHUNKS], 1)
    )


# ---------------------------------------------------------------------------- shapes


def _plan(
    row: Json,
    paths: Mapping[str, Sequence[str]],
    chunk_names: ChunkNames,
    before: _Plan | None = None,
) -> _Plan | None:
    if not KEYS.isdisjoint(row) or not PAGE_KEYS.isdisjoint(row) or len(row) > _MOST_KEYS:
        return None
    attributes: dict[str, str] = {}
    ids = []
    for field, found in paths.items():
        here = [path for path in found if path in row]
        if any(path not in row and _may_lead_into(path, row) for path in found):
            return None
        if here and (field in _HARD or (len(here) > 1 and field != "id")):
            return None
        for number, key in enumerate(dict.fromkeys(here)):
            if key in attributes or not key.isidentifier():
                return None
            attributes[key] = f"{field}{number or ''}"
            if number:
                ids.append(attributes[key])
    if "question" not in attributes.values() or not all(map(_may_be_named, row)):
        return None
    key = next((key for key, field in attributes.items() if field == "chunks"), "")
    kind, plan = _chunks(row.get(key), chunk_names, before)
    types = {**_TYPES, **dict.fromkeys(ids, _NAME), "chunks": kind}
    decoder = _decoder(
        {attributes.get(name, f"other{n}"): name for n, name in enumerate(row)},
        types,
        dict.fromkeys(
            field for field in (*_SINGLE, *_MEASURES) if field not in attributes.values()
        ),
    )
    measured = any(field in attributes.values() for field in _MEASURES)
    return _Plan(decoder, tuple(ids), measured, key, **plan)


def _chunks(
    found: object, chunk_names: ChunkNames, before: _Plan | None
) -> tuple[Any, dict[str, Any]]:
    """Return the type to decode chunks as, when these have been found and those of `before`."""
    if not found and before is None:
        return _NO_CHUNKS, {}
    keys = _inner(found) if isinstance(found, list) else None
    inner = frozenset() if keys is None else keys | (before.inner if before else frozenset())
    named = inner and all(map(_may_be_named, inner))
    where = layout(tuple(sorted(inner)), chunk_names) if named else None
    if where is None or not where.sure:
        return list[Any] | None, {"mixed": True}
    names = {"id": where.id, "source": where.source, "heading": where.heading, "score": where.score}
    told = {name: field for field, name in names.items() if name}
    absent = dict.fromkeys(field for field, name in names.items() if not name)
    fields = {told.get(name, f"other{n}"): name for n, name in enumerate(sorted(inner))}
    texts: dict[str, Any] = dict.fromkeys(("id", "source", "heading"), str | None)
    types = {**texts, "score": int | float | None}
    types |= dict.fromkeys((field for field in fields if field not in types), msgspec.Raw)
    kind = _struct(fields, types, absent, some=True)
    return list[kind] | None, {"layout": where, "inner": inner}  # type: ignore[valid-type]


def _inner(found: list[Any]) -> frozenset[str] | None:
    """Return the keys of the objects in a list, or None for a list of anything else."""
    if not found or not all(isinstance(one, dict) for one in found):
        return None
    return frozenset().union(*found)


def _decoder(
    fields: Mapping[str, str], types: Mapping[str, Any], absent: Mapping[str, None]
) -> Callable[[bytes], Any]:
    return msgspec.json.Decoder(_struct(fields, types, absent)).decode


def _struct(
    fields: Mapping[str, str],
    types: Mapping[str, Any],
    absent: Mapping[str, None],
    some: bool = False,
) -> type[msgspec.Struct]:
    """Return a structure with the `fields`, each with its key; `some` of them may be missing."""
    default = (None,) if some else ()
    return msgspec.defstruct(
        "Line",
        [(field, types.get(field, _ANY), *default) for field in fields],
        namespace=dict(absent),
        rename=dict(fields),
        forbid_unknown_fields=True,
        gc=False,
    )


def _may_be_named(key: str) -> bool:
    return key.isprintable() and '"' not in key and "\\" not in key


def _may_lead_into(path: str, row: Json) -> bool:
    """Say whether `path`, which is no key of `row`, may lead to something in it all the same."""
    if path.isidentifier():
        return False
    parts = path.split(".")
    return "|" in path or "*" in path or any(".".join(parts[:n]) in row for n in range(len(parts)))
