"""Which path of a log's rows holds which field: found by the names teams usually give them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from curate.ingest.chunks import USUAL, chunks_of
from curate.ingest.conversation import answer_of, chat
from curate.ingest.jsontext import embedded
from curate.ingest.paths import ABSENT, Getter, getter
from curate.ingest.values import ident, moment, text_of
from curate.model.errors import CurateError, Exit, did_you_mean
from curate.model.plain import Json

_STRONG: dict[str, str] = {
    "question": "question userquestion query userquery questiontext querytext usermessage "
    "userinput userprompt",
    "standalone": "standalone standalonequestion rewritten rewrittenquery rewrittenquestion "
    "condensedquestion reformulatedquery searchquery",
    "answer": "answer response output completion airesponse reply answertext responsetext "
    "assistantmessage botresponse generatedanswer",
    "history": "history chathistory conversationhistory previousmessages",
    "chunks": "chunks retrievedchunks contexts documents retrieveddocuments retrieveddocs docs "
    "sources sourcedocuments retrieved retrievedcontexts retrievedcontext citations passages "
    "references retrieverresources",
    "id": "messageid requestid questionid queryid interactionid eventid id uuid responseid "
    "spanid traceid runid correlationid insertid reqid",
    "session": "sessionid conversationid threadid chatid session",
    "user": "userid enduserid customerid username useremail",
    "ts": "ts timestamp time createdat datetime eventtime askedat requesttime starttime loggedat "
    "created date",
    "rating": "rating feedback thumb thumbs thumbsup thumbsdown thumbup thumbdown vote isupvoted "
    "upvoted isdownvoted downvoted liked disliked ishelpful washelpful helpful feedbackrating "
    "feedbackscore feedbackvalue feedbackthumb userfeedback userrating",
    "comment": "comment feedbackcomment feedbacktext usercomment feedbackmessage explanation",
    "reason": "reason feedbackreason reasons feedbacktag",
    "refused": "refused isrefusal refusal abstained unanswered noanswer",
    "title": "conversationtitle chattitle conversationname sessionname",
    "latency_ms": "latencyms durationms elapsedms responsetimems",
    "tokens_in": "tokensin inputtokens prompttokens",
    "tokens_out": "tokensout outputtokens completiontokens",
    "target": "targetid forid replyto inreplyto answerid",
    "feedback_id": "feedbackid voteid scoreid",
    "voted_at": "feedbackdate feedbackat feedbackts feedbacktimestamp feedbackcreatedat ratedat "
    "votedat",
    "author": "feedbacksource annotatorkind ratedby fromsource",
}
_WEAK: dict[str, str] = {
    "question": "input prompt message text messages inputtext q",
    "answer": "result generation outputtext choices a",
    "history": "messages",
    "chunks": "context",
    "session": "thread conversation chat",
    "user": "user uid email",
    "rating": "score",
    "comment": "comments note",
    "title": "title",
}
_ALIASES = {"session_id": "session", "user_id": "user", "time": "ts", "timestamp": "ts"}
# Objects that only wrap the event: inside them, a weak name is as good as at the top.
_WRAPPERS = frozenset(
    "rag event data payload body request attributes fields record labels extra".split()  # noqa: SIM905 - as above
)
_LOGGERS = frozenset(("level", "severity", "loglevel", "levelname", "logger", "lvl"))
_LIKE_A_LOG = frozenset(("message", "text"))
INVERTED = frozenset(
    ("thumbsdown", "thumbdown", "isdownvoted", "downvoted", "disliked", "isdisliked", "unhelpful")
)
"""Folded names of fields in which a true value is a thumb down."""

_IN_CHUNKS = {f"chunk_{name}": name for name in ("id", "source", "heading", "score")}

FIELDS = (*_STRONG, *_IN_CHUNKS)
"""The fields a map may give a path for; those of a chunk go from each retrieved chunk."""

# Paths are shown; a key that is no name of a field may be that of a person.
_NAME = re.compile(r"@?[A-Za-z_][\w.-]{0,63}( [\w.-]{1,32}){0,3}", re.ASCII)
_DEPTH = 3
_MOST_PATHS = 12
_MOST_KEYS = 5_000
_MOST_UNREAD = 30
_MOST_LOOKED_AT = 50
_FEW = 10
_Rank = tuple[bool, int, int]


@lru_cache(maxsize=8192)
def folded(name: str) -> str:
    """Return a field's name without case and separators: `requestId` and `request_id` meet."""
    return "".join(char for char in name.casefold() if char.isalnum())


def _orders() -> dict[str, list[tuple[str, bool, int]]]:
    orders: dict[str, list[tuple[str, bool, int]]] = {}
    for weak, table in ((False, _STRONG), (True, _WEAK)):
        for field, names in table.items():
            for order, name in enumerate(names.split()):
                orders.setdefault(name, []).append((field, weak, order))
    return orders


_ORDERS = _orders()

KNOWN = frozenset(_ORDERS)
"""Every folded name that is known."""

QUESTIONS = frozenset(_STRONG["question"].split())
"""The folded names that can only be those of a question."""


class Unread(NamedTuple):
    """Paths that a map does not read: `usual` ones, and `rare` ones whose keys may be values; what
    a few rows have is in neither. `nowhere` are fields whose told path leads to nothing.
    """

    usual: tuple[str, ...] = ()
    rare: tuple[str, ...] = ()
    nowhere: tuple[str, ...] = ()


class Fields:
    """The map of one log: for each field its paths, told or found, best first.

    It is learned from rows and grows when a row brings keys not seen before; a path once found
    is never exchanged for another, except a weak name of the question for a strong one.
    """

    def __init__(self, told: Mapping[str, str]) -> None:
        self._told = check_map(told)
        in_chunks = {own: path for f, own in _IN_CHUNKS.items() if (path := self._told.get(f))}
        self.chunk_names = USUAL.told(in_chunks)
        self._found: dict[str, dict[str, _Rank]] = {}
        self._shared: set[str] = set()
        self._keys: set[str] = set()
        self._inner: dict[str, set[str]] = {}
        self.paths: dict[str, tuple[str, ...]] = {}
        self.getters: dict[str, tuple[Getter, ...]] = {}
        self._single: dict[str, Getter] = {}
        self._settle()

    def is_new(self, row: Json) -> bool:
        """Say whether `row` has a key that no row before it had, down to its second level."""
        if len(self._keys) > _MOST_KEYS:
            return False
        if not self._keys.issuperset(row):
            return True
        for key, value in row.items():
            if type(value) is dict and not self._inner.get(key, self._keys).issuperset(value):
                return True
        return False

    def learn(self, rows: Iterable[Json]) -> bool:
        """Take in `rows`; say whether the map is another now."""
        before = self.paths
        for row in rows:
            self._keys.update(row)
            for key, value in row.items():
                if isinstance(value, dict):
                    self._inner.setdefault(key, set()).update(value)
            for field, path, rank in _candidates(row):
                paths = self._found.setdefault(field, {})
                if path in paths or len(paths) < _MOST_PATHS:
                    paths[path] = rank
        self._settle()
        return self.paths != before

    def mistrust_shared_ids(self, rows: Sequence[Json]) -> None:
        """Drop ids under which different questions of `rows` hide: those of a process or a chat."""
        if "id" in self._told:
            return
        asked = [(row, text) for row in rows if (text := text_of(self.value(row, "question")))]
        for path in self.paths.get("id", ()):
            get = getter(path)
            texts: dict[object, set[str]] = {}
            count = 0
            for row, text in asked:
                if (value := ident(get(row))) is not None:
                    texts.setdefault(value, set()).add(text)
                    count += 1
            if any(len(found) > 1 for found in texts.values()) and len(texts) < 0.8 * count:
                self._shared.add(path)
        self._settle()

    def value(self, row: Json, field: str) -> object:
        """Return the first value at one of the field's paths that is not absent, null or empty;
        else None where a null stands, else `ABSENT`.
        """
        single = self._single.get(field)
        if single is not None:
            value = single(row)
            return None if value == "" else value
        found: object = ABSENT
        for get in self.getters.get(field, ()):
            value = get(row)
            if value is not ABSENT:
                if value is not None and value != "":
                    return value
                found = None
        return found

    def report(self) -> dict[str, str]:
        """Return the map in words: each field with a path, its alternatives after `|`."""
        found = {field: "|".join(paths) for field, paths in self.paths.items() if paths}
        return {**found, **{f: path for f in _IN_CHUNKS if (path := self._told.get(f))}}

    def unread(self, rows: Sequence[Json]) -> Unread:
        """Return the paths of `rows` that the map does not read, those of most rows first; after
        `[]` those in retrieved chunks of which not both id and source are read.
        """
        counts: Counter[str] = Counter()
        rows = rows[:_MOST_LOOKED_AT]
        for row in rows:
            counts.update(
                path
                for path, _, value, _, _ in _leaves(row, "", 0, True)
                if not isinstance(value, dict) and not self._reads(path)
            )
            counts.update(self._unread_in_chunks(row))
        usual, rare = [], []
        for path, count in counts.most_common(_MOST_UNREAD):
            if count > 1 and count * 2 >= len(rows):
                usual.append(path)
            elif count * _FEW >= len(rows):
                rare.append(path)
        return Unread(tuple(usual), tuple(rare), tuple(self._nowhere(rows)))

    def _nowhere(self, rows: Sequence[Json]) -> Iterator[str]:
        chunks = [chunk for row in rows for chunk in self._chunks(row)]
        for field, path in self._told.items():
            within = chunks if field in _IN_CHUNKS else rows
            get = getter(path)
            if path and within and all(get(one) is ABSENT for one in within):
                yield field

    def _reads(self, path: str) -> bool:
        """Say whether a path of the map leads to `path`, into it, or past it."""
        parts = path.split(".")
        told = "|".join("|".join(paths) for paths in self.paths.values())
        known = (one.split(".") for one in told.split("|"))
        return any(one[: len(parts)] == parts[: len(one)] for one in known)

    def _chunks(self, row: Json) -> list[Json]:
        found = embedded(self.value(row, "chunks"))
        return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []

    def _unread_in_chunks(self, row: Json) -> list[str]:
        found = self._chunks(row)
        if any(one.id and one.source for one in chunks_of(found, names=self.chunk_names)):
            return []
        read = {name.split(".")[0] for names in self.chunk_names for name in names}
        keys = dict.fromkeys(key for one in found for key in one if key not in read)
        [path, *_] = self.paths.get("chunks") or [""]
        return [f"{path}[].{key}" for key in keys if _NAME.fullmatch(key)]

    def _settle(self) -> None:
        paths: dict[str, tuple[str, ...]] = {}
        for field in _STRONG:
            if field in self._told:
                told = self._told[field]
                paths[field] = (told,) if told else ()
                continue
            ranked = sorted(
                (rank, path)
                for path, rank in self._found.get(field, {}).items()
                if path not in self._shared
            )
            if ranked and not ranked[0][0][0]:
                ranked = [entry for entry in ranked if not entry[0][0]]
            if field == "question" or (ranked and ranked[0][0][0]):
                # One path only: another might hold an answer or a log message.
                ranked = [e for e in ranked if e[0][0] == ranked[0][0][0]]
            if ranked:
                paths[field] = tuple(path for _, path in ranked)
        if paths.get("question") and paths["question"] == paths.get("history"):
            del paths["history"]
        self.paths = paths
        self.getters = {
            field: tuple(getter(path) for path in found) for field, found in paths.items()
        }
        self._single = {field: own[0] for field, own in self.getters.items() if len(own) == 1}


def check_map(told: Mapping[str, str]) -> dict[str, str]:
    """Return a map with the fields' own names; raises `CurateError` for a field unknown."""
    checked: dict[str, str] = {}
    for name, path in told.items():
        field = _ALIASES.get(name, name)
        if field not in FIELDS:
            hint = did_you_mean(name, FIELDS, f"Known: {', '.join(FIELDS)}.")
            raise CurateError(
                f"the map of a source names an unknown field `{name}`", hint, Exit.USAGE
            )
        checked[field] = path
    return checked


def _candidates(row: Json) -> Iterator[tuple[str, str, _Rank]]:
    like_a_log = not _LOGGERS.isdisjoint(map(folded, row))
    for path, names, value, depth, wrapped in _leaves(row, "", 0, True):
        # The whole name says most: the `id` of `user.id` is no id of the event.
        name = next((name for name in names if name in _ORDERS), "")
        for field, weak, order in _ORDERS.get(name, ()):
            if weak and not wrapped:
                continue
            if field == "question" and weak and like_a_log and name in _LIKE_A_LOG:
                continue
            if _plausible(field, value):
                # Which id it is says more than where it stands.
                rank = (order, depth) if field == "id" else (depth, order)
                yield field, path, (weak, *rank)


def _leaves(
    row: Json, prefix: str, depth: int, wrapped: bool
) -> Iterator[tuple[str, tuple[str, ...], object, int, bool]]:
    above = folded(prefix.rpartition(".")[2]) if prefix else ""
    for key, value in row.items():
        if not _NAME.fullmatch(key):
            continue
        path = f"{prefix}.{key}" if prefix else key
        own, last = folded(key), folded(key.rpartition(".")[2])
        names = tuple(dict.fromkeys((above + own, own, last) if above else (own, last)))
        yield path, names, value, depth + key.count("."), wrapped
        if isinstance(value, dict) and depth < _DEPTH:
            yield from _leaves(value, path, depth + 1, wrapped and own in _WRAPPERS)


def _plausible(field: str, value: object) -> bool:
    match field:
        case "question" if isinstance(value, list):
            return chat(value) is not None
        case "answer" if isinstance(value, dict | list):
            return answer_of(value) is not None
        case "question" | "answer" | "standalone" | "comment" | "title" | "reason":
            return bool(text_of(value)) and not isinstance(value, bool)
        case "id" | "session" | "user" | "target" | "feedback_id":
            return ident(value) is not None
        case "ts" | "voted_at":
            return moment(value) is not None
        case "rating":
            return not isinstance(value, dict)
        case "history":
            return isinstance(value, list | str)
        case "refused":
            return isinstance(value, bool | int | str)
        case _:
            return value is not None
