"""Rows of any log, read by a field map: told, preset, or found by the usual names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from curate.ingest import ratings
from curate.ingest.chunks import chunks_of
from curate.ingest.conversation import Chat, answer_of, chat, history_of
from curate.ingest.envelopes import unwrap
from curate.ingest.events import ROOT, Part, Piece, Place, Unusable
from curate.ingest.fields import INVERTED, Fields, Unread, folded
from curate.ingest.jsontext import embedded
from curate.ingest.paths import ABSENT, Getter
from curate.ingest.quick import Quick, Reader
from curate.ingest.values import count, ident, moment, raw, text_of, whole_ms
from curate.model.events import FeedbackEvent, QuestionEvent, RawChunk, RawText, RawTurn
from curate.model.plain import Json

_TRUE = ("true", "yes", "1", "y")
_FALSE = ("false", "no", "0", "n")
_OWN_IDS = ("id", "_id", "event_id", "eventId", "insertId")
_MOST_ALIASES = 16


class Generic:
    """Reads question rows, feedback rows and rows that are both, by a field map.

    `told` gives paths for fields; with `closed` nothing else is looked for, as presets want it.
    A `trace` path makes each row a part of the question that has all rows of that trace.
    """

    def __init__(
        self,
        told: Mapping[str, str],
        head: Sequence[Json] = (),
        *,
        closed: bool = False,
        trace: Getter | None = None,
    ) -> None:
        self.fields = Fields(told)
        self._closed = closed
        self._trace = trace
        self._quick = Quick(self.fields.chunk_names)
        if not closed:
            seen = [row for row in map(_opened, head) if row]
            self.fields.learn(seen)
            self.fields.mistrust_shared_ids(seen)

    def read(self, row: Json, place: Place) -> Iterator[Piece]:
        """Yield the events of one row. Raises `Unusable`, `ratings.UnknownNumber` or
        `ratings.UnknownWord`; events yielded before that stand.
        """
        logged = row
        row = unwrap(row)
        if not self._closed and self.fields.is_new(row):
            if self.fields.learn((row,)):
                self._quick.forget()
        elif row is logged and self._trace is None:
            self._quick.learn(row, self.fields.paths)
        question = self._question(row, place)
        rating, inverted = self._rating(row)
        voted = rating is not ABSENT and (
            rating not in (None, "") or self.fields.value(row, "question") is ABSENT
        )
        if question is not None:
            yield question
        elif not voted:
            raise Unusable("neither a question nor a rating in it")
        if voted:
            yield self._vote(row, place, rating, inverted, question)

    def unread(self, rows: Sequence[Json]) -> Unread:
        """Return the paths of rows as they were logged that the map does not read."""
        return self.fields.unread([opened for row in rows if (opened := _opened(row))])

    def quickly(self, source: str) -> Reader:
        """Return what reads those lines of a source's log that are like rows read before."""
        return self._quick.reader(source)

    # ------------------------------------------------------------------ questions

    def _question(self, row: Json, place: Place) -> QuestionEvent | Part | None:
        fields, plain = self.fields, place.plain
        asked = fields.value(row, "question")
        if asked is ABSENT or asked is None or isinstance(asked, bool):
            return None
        said = _chat(asked)
        question = said.question if said else raw(asked, plain)
        if question is None:
            return None
        event = self._event(row, place, question, said)
        if self._trace is None:
            return event
        trace = text_of(_or_none(self._trace(row)))
        if not trace:
            return event
        return Part(trace, ROOT + (event.answer is not None), event, place.size)

    def part(self, row: Json, place: Place) -> QuestionEvent:
        """Return what a row says about a question that it does not ask."""
        return self._event(row, place, RawText(""), None)

    def _event(
        self, row: Json, place: Place, question: RawText, said: Chat | None
    ) -> QuestionEvent:
        fields, getters, plain = self.fields, self.fields.getters, place.plain
        ids = self._ids(row, plain)
        answer = self._answer(row, plain) if "answer" in getters else None
        history = history_of(fields.value(row, "history")) if "history" in getters else ()
        if said and not history:
            history = said.history
        event = QuestionEvent(
            place.source,
            place.line,
            question,
            ids[0] if ids else None,
            ids,
            self._ident(row, "session", plain),
            self._ident(row, "user", plain),
            moment(fields.value(row, "ts")) if "ts" in getters else None,
            self._text(row, "standalone", plain),
            history,
            answer or (said.answer if said else None),
            _flag(fields.value(row, "refused")) if "refused" in getters else None,
            self._chunks(row, plain) if "chunks" in getters else (),
            self._text(row, "title", plain),
            whole_ms(fields.value(row, "latency_ms")) if "latency_ms" in getters else None,
            place.repaired,
            count(fields.value(row, "tokens_in")) if "tokens_in" in getters else None,
            count(fields.value(row, "tokens_out")) if "tokens_out" in getters else None,
        )
        return _without_own_question(event)

    def _chunks(self, row: Json, plain: bool) -> tuple[RawChunk, ...]:
        return chunks_of(self.fields.value(row, "chunks"), plain, self.fields.chunk_names)

    def _ids(self, row: Json, plain: bool = False) -> tuple[RawText, ...]:
        found: list[RawText] = []
        for field in ("id", "target"):
            for get in self.fields.getters.get(field, ()):
                name = ident(get(row), plain)
                if name is not None and name not in found:
                    found.append(name)
        return tuple(found[:_MOST_ALIASES])

    def _ident(self, row: Json, field: str, plain: bool = False) -> RawText | None:
        if field not in self.fields.getters:
            return None
        return ident(self.fields.value(row, field), plain)

    def _answer(self, row: Json, plain: bool) -> RawText | None:
        value = _or_none(self.fields.value(row, "answer"))
        if isinstance(value, str) and value[:1] not in ("{", "["):
            return raw(value, plain)
        return answer_of(value)

    def _text(self, row: Json, field: str, plain: bool) -> RawText | None:
        if field not in self.fields.getters:
            return None
        return raw(_or_none(self.fields.value(row, field)), plain)

    # ------------------------------------------------------------------ votes

    def _rating(self, row: Json) -> tuple[object, bool]:
        found: tuple[object, bool] = (ABSENT, False)
        paths = self.fields.paths.get("rating", ())
        for path, get in zip(paths, self.fields.getters.get("rating", ()), strict=True):
            value = embedded(get(row))
            if isinstance(value, list):
                value = value[-1] if value else None
            if value is ABSENT or isinstance(value, dict):
                continue
            if value is not None and value != "":
                return value, folded(path.rpartition(".")[2]) in INVERTED
            found = (None, False)
        return found

    def _vote(
        self,
        row: Json,
        place: Place,
        rating: object,
        inverted: bool,
        question: QuestionEvent | Part | None,
    ) -> FeedbackEvent:
        own = self._ident(row, "feedback_id")
        asked = question.event if isinstance(question, Part) else question
        targets = asked.aliases if asked else self._ids(row)
        told = self._ident(row, "target")
        if asked is None and told is not None:
            targets = (told, *(name for name in targets if name != told))
        if asked is None and own is None and len(targets) > 1:
            # A vote with an id of its own beside the id it is about.
            bare = next((name for key in _OWN_IDS if (name := ident(row.get(key)))), None)
            if bare is not None and bare in targets:
                own, targets = bare, tuple(name for name in targets if name != bare)
        if not targets and asked is None:
            session = self._ident(row, "session")
            if session is None:
                raise Unusable("a vote without the id of what it is about")
            targets = (session,)
        return FeedbackEvent(
            place.source,
            place.line,
            targets,
            place.scale.rate(rating, inverted),
            own or (asked.source_id if asked else None),
            self._ident(row, "user"),
            moment(self.fields.value(row, "voted_at")) or moment(self.fields.value(row, "ts")),
            self._text(row, "reason", place.plain),
            self._text(row, "comment", place.plain),
            ratings.author_of(_or_none(self.fields.value(row, "author"))),
        )


def _opened(row: Json) -> Json:
    try:
        return unwrap(row)
    except Unusable:
        return {}


def _or_none(value: object) -> object:
    return None if value is ABSENT else value


def _chat(asked: object) -> Chat | None:
    if isinstance(asked, str) and asked.lstrip()[:1] not in ("{", "["):
        return None
    return chat(asked)


def _flag(value: object) -> bool | None:
    word = str(value).casefold()
    if word in _TRUE:
        return True
    return False if word in _FALSE else None


def _without_own_question(event: QuestionEvent) -> QuestionEvent:
    """Many logs append the question to the history before they log it."""
    if event.history and event.history[-1] == RawTurn("user", event.question):
        return replace(event, history=event.history[:-1])
    return event
