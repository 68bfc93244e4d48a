"""`curate items`: everything the screens do, without a screen."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from curate.cli import importing, output, showing
from curate.cli import inbox as inbox_
from curate.cli.context import Shared, as_is_option, json_option, shared_options
from curate.cli.inbox import CANDIDATE
from curate.model.errors import CurateError, Exit, did_you_mean
from curate.text import one_line, slug

if TYPE_CHECKING:
    from curate.model.documents import Evidence
    from curate.model.items import Item
    from curate.workspace.workspace import Workspace


@click.group()
def items() -> None:
    """List, show, make and change the cases of the set.

    An item is named by its id, a candidate of the inbox by its number: `c12`.
    """


@items.command("list")
@click.option("--inbox", is_flag=True, help="List the candidates that wait, not the items.")
@click.option("--status", default=None, help="Only this status; inbox: default open, or any.")
@click.option("--split", type=click.Choice(["tuning", "holdout"]), help="Items: only this split.")
@click.option("--kind", help="Items: only this kind.")
@click.option("--lang", help="Only this language.")
@click.option("--tag", help="Only with this tag; of a candidate's item.")
@click.option("--source", help="Items: quoted from this document. Inbox: of this log.")
@click.option("--text", default="", help="Inbox: only with this in a question.")
@click.option("--reason", default="", help="Inbox: only with this in a reason: refused, ...")
@click.option("--since", type=click.DateTime(), callback=inbox_.day, help="Inbox: asked from here.")
@click.option("--until", type=click.DateTime(), callback=inbox_.day, help="Inbox: asked before.")
@click.option("--unclaimed", is_flag=True, help="Inbox: not what somebody else looks at.")
@click.option("--sample", type=click.IntRange(1), help="Inbox: so many, by lot: real traffic.")
@click.option("--seed", default="", help="The name of the draw: the same one, the same sample.")
@click.option("--limit", default=100, show_default=True, type=click.IntRange(1), help="At most.")
@json_option
@shared_options
@click.pass_obj
def list_(shared: Shared, /, inbox: bool, limit: int, as_json: bool, **given: Any) -> None:
    """List the items, or the inbox by priority."""
    with shared.open() as workspace:
        if inbox:
            _list_inbox(workspace, given, limit, as_json)
            return
        found = [item for item in workspace.store.items() if _is_wanted(item, given)][:limit]
    if as_json:
        output.data(found)
    else:
        output.table(
            [(i.id, i.status, i.split, _answer(i), i.question) for i in found],
            ("item", "status", "split", "answer", "question"),
        )


def _list_inbox(workspace: Workspace, given: dict[str, Any], limit: int, as_json: bool) -> None:
    status = given["status"] or "open"
    wanted = {
        "status": "" if status == "any" else status,
        "free_for": workspace.who if given["unclaimed"] else "",
        **{name: given[name] or "" for name in ("text", "reason", "source", "lang", "tag")},
        **{name: given[name] for name in ("since", "until")},
    }
    sample, seed = given["sample"], given["seed"]
    inbox_.show(workspace, wanted, sample=sample, seed=seed, limit=limit, as_json=as_json)


def _is_wanted(item: Item, given: dict[str, Any]) -> bool:
    return (
        all(not given[key] or getattr(item, key) == given[key]
            for key in ("status", "split", "kind", "lang"))
        and (not given["tag"] or given["tag"] in item.tags)
        and (not given["source"] or any(e.source == given["source"] for e in item.evidences))
    )  # fmt: skip


def _answer(item: Item) -> str:
    if item.evidences:
        return f"{item.evidences[0].source} › {item.evidences[0].heading}"
    return {True: "no evidence yet", False: "unanswerable", None: "undecided"}[item.answerable]


@items.command()
@click.argument("ref")
@click.option(
    "--passages",
    default=5,
    show_default=True,
    type=click.IntRange(0, 50),
    help="How many passages.",
)
@json_option
@shared_options
@click.pass_obj
def show(shared: Shared, ref: str, passages: int, as_json: bool) -> None:
    """Show an item, or a candidate and what may answer it."""
    with shared.open() as workspace:
        workspace.ready_corpus()
        if match := CANDIDATE.fullmatch(ref):
            candidate = workspace.store.candidate(int(match[1]))
            records = workspace.store.records(candidate.id)
            found = workspace.suggest(records[0], passages)
            if not as_json:
                showing.candidate(candidate, records, workspace.corpus, found)
                return
            output.data({
                "candidate": inbox_.named(candidate),
                "records": records,
                "passages": [output.passage(workspace.corpus, passage) for passage in found],
            })  # fmt: skip
            return
        item = workspace.store.item(ref)
        findings = workspace.lint(item)
    if as_json:
        output.data({"item": item, "findings": findings})
    else:
        showing.item(item, findings)


@items.command("set")
@click.argument("ref")
@click.option("--id", "slug", help="The id of a new item; default: from a heading.")
@click.option("--question", help="Its wording. The wording as asked is kept beside it.")
@click.option("--source", help="The document that answers.")
@click.option("--heading", default="", help="The section, where the phrase stands more than once.")
@click.option("--evidence", help="A phrase of the document, verbatim.")
@click.option("--more", is_flag=True, help="The evidence is one more, not the one.")
@click.option("--mode", type=click.Choice(["any", "all"]), help="With several: any or all needed.")
@click.option("--keyword", help="A word the answer must contain; default: proposed.")
@click.option("--neutral", is_flag=True, help="Put neutral words where placeholders stand.")
@click.option("--searched", multiple=True, help="With --unanswerable: a search that found nothing.")
@click.option("--answerable/--unanswerable", default=None, help="Do the documents answer it?")
@click.option("--split", type=click.Choice(["tuning", "holdout"]), help="Which split.")
@click.option("--status", type=click.Choice(["draft", "ready", "retired"]), help="Default: ready.")
@click.option("--kind", help="paraphrase, identifier, follow-up, ...")
@click.option("--lang", help="The language tag.")
@click.option("--tag", "tags", multiple=True, help="A tag of your own; repeatable; '' for none.")
@click.option("--reference", help="A reference answer.")
@click.option("--must-include", multiple=True, help="What the answer must hold; repeatable.")
@click.option("--must-not-include", multiple=True, help="What it must not hold; repeatable.")
@click.option("--note", help="For people.")
@click.option("--reason", default="", help="Why; kept in the log of the item.")
@as_is_option
@json_option
@shared_options
@click.pass_obj
def set_(
    shared: Shared, /, ref: str, reason: str, as_is: bool, as_json: bool, **given: Any
) -> None:
    """Make or change an item.

    REF is an item's id, a candidate of the inbox (`c12`: it becomes an item), or `new` (a
    question of your own: --question). Source, heading and evidence are filled from the phrase;
    an item that lacks nothing is `ready` for the next export. Exit 1, and nothing is stored,
    where what was typed seems to hold personal data.
    """
    with shared.open() as workspace:
        workspace.ready_corpus()
        item, candidate = _start(workspace, ref, given)
        item = _change(workspace, item, given)
        if not as_is:
            workspace.vet(reason)
        saved = workspace.save(item, candidate=candidate, reason=reason, as_is=as_is)
        workspace.rerank([saved])
        findings = workspace.lint(saved)
    if as_json:
        output.data({"item": saved, "findings": findings})
        return
    output.line(f"{saved.id}  {saved.status}, {saved.split}, revision {saved.revision}")
    for finding in findings:
        output.say(f"{finding.severity}: {finding.message}", quiet=shared.quiet)


def _start(workspace: Workspace, ref: str, given: dict[str, Any]) -> tuple[Item, int | None]:
    number: int | None = None
    if match := CANDIDATE.fullmatch(ref):
        candidate = workspace.store.candidate(int(match[1]))
        number = candidate.id
        if not candidate.item:
            return replace(workspace.draft(candidate), id=_new_id(workspace, given)), number
        ref = candidate.item
    if ref == "new":
        if not given["question"]:
            raise CurateError("`items set new` needs --question", "", Exit.USAGE)
        return workspace.fresh(given["question"], _new_id(workspace, given)), None
    item = workspace.store.item(ref)
    if given["slug"] not in (None, item.id):
        raise CurateError(f"{item.id} keeps its id for ever", "Leave --id out.", Exit.USAGE)
    return item, number


def _new_id(workspace: Workspace, given: dict[str, Any]) -> str:
    wanted: str = given["slug"] or ""
    if slug(wanted) != wanted:
        near = f", as in {slug(wanted)}" if slug(wanted) else ""
        raise CurateError(
            f"`{one_line(wanted)}` is no id",
            f"Small letters, digits and hyphens between them, 40 at most{near}.",
            Exit.USAGE,
        )
    if wanted and workspace.store.items([wanted]):
        raise CurateError(
            f"there is an item {wanted} already",
            f"Name another id, or change that one: `curate items set {wanted}`.",
            Exit.USAGE,
        )
    return wanted


def _change(workspace: Workspace, item: Item, given: dict[str, Any]) -> Item:
    if given["evidence"] is not None:
        if not given["source"]:
            raise CurateError("--evidence needs --source", "Name the document.", Exit.USAGE)
        found = _locate(workspace, given["source"], given["heading"], given["evidence"])
        item = workspace.attach(item, found.source, found.start, found.end, more=given["more"])
    searched = given["searched"]
    if given["answerable"] is False or (searched and item.answerable is False):
        item = workspace.unanswerable(item, searched)
    elif searched:
        raise CurateError("--searched goes with --unanswerable", "Give both.", Exit.USAGE)
    elif given["answerable"]:
        item = replace(item, answerable=True, absence=None)
    changes: dict[str, Any] = {
        name: given[name]
        for name in ("question", "keyword", "split", "kind", "lang", "reference", "note")
        if given[name] is not None
    }
    for name in ("tags", "must_include", "must_not_include"):
        if given[name]:
            changes[name] = tuple(value for value in given[name] if value.strip())
    if given["mode"]:
        changes["evidence_mode"] = given["mode"]
    item = replace(item, **changes)
    if given["neutral"]:
        item = workspace.neutral(item)
    return workspace.settle(item, given["status"])


def _locate(workspace: Workspace, source: str, heading: str, phrase: str) -> Evidence:
    from curate.check.checking import placed
    from curate.model.documents import Evidence

    documents = workspace.corpus.sources()
    if source not in documents:
        hint = did_you_mean(source, documents, "`curate corpus search` names them.")
        raise CurateError(f"there is no document {one_line(source)}", hint, Exit.USAGE)
    wanted = Evidence(source, heading, phrase, 0, 0, "", "lost")
    found = workspace.corpus.locate(wanted)
    elsewhere = found.source != source or (heading and found.heading != heading)
    places = workspace.corpus.occurrences(source, phrase)
    if found.grade == "lost" or elsewhere or (found.grade == "ambiguous" and not places):
        raise CurateError(
            f"that evidence does not stand in {source}"
            + (f" under “{heading}”" if heading else ""),
            "`curate corpus search` finds the passage; quote it verbatim.",
            Exit.USAGE,
        )
    if found.grade == "ambiguous":
        whole = [one for one in places if one.whole and heading in ("", one.heading)]
        if len(whole) == 1:
            return workspace.corpus.evidence(source, whole[0].start, whole[0].end)
        raise CurateError(
            f"that evidence stands more than once in {source}: {placed(places)}",
            "Name the section with --heading, or quote a longer phrase.",
            Exit.USAGE,
        )
    return found


@items.command()
@click.argument("ref")
@click.option("--reason", required=True, help="Why it is not worth a case.")
@as_is_option
@json_option
@shared_options
@click.pass_obj
def reject(shared: Shared, ref: str, reason: str, as_is: bool, as_json: bool) -> None:
    """Turn a candidate down, with a reason."""
    _decide(shared, ref, "rejected", as_json, reason=reason, as_is=as_is)


@items.command()
@click.argument("ref")
@click.argument("item")
@json_option
@shared_options
@click.pass_obj
def duplicate(shared: Shared, ref: str, item: str, as_json: bool) -> None:
    """Say that a candidate asks what ITEM asks already."""
    _decide(shared, ref, "duplicate", as_json, item=item)


@items.command()
@click.argument("ref")
@json_option
@shared_options
@click.pass_obj
def reopen(shared: Shared, ref: str, as_json: bool) -> None:
    """Put a candidate back into the inbox."""
    _decide(shared, ref, "open", as_json)


def _decide(
    shared: Shared,
    ref: str,
    status: Any,
    as_json: bool,
    *,
    reason: str = "",
    item: str | None = None,
    as_is: bool = False,
) -> None:
    with shared.open() as workspace:
        if not as_is:
            workspace.vet(reason)
        candidate = workspace.decide(inbox_.number(ref), status, reason=reason, item=item)
    if as_json:
        output.data(inbox_.named(candidate))
    else:
        output.line(f"{ref}  {candidate.status}")


@items.command()
@click.argument("ref", required=False)
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1), help="At most.")
@json_option
@shared_options
@click.pass_obj
def log(shared: Shared, ref: str | None, limit: int, as_json: bool) -> None:
    """Show who changed what and when, newest first."""
    with shared.open() as workspace:
        revisions = workspace.store.revisions(ref, limit=limit)
    if as_json:
        output.data(revisions)
        return
    output.table(
        [
            (r.act, f"{r.at:%Y-%m-%d %H:%M:%S}", r.by, r.subject, r.action, r.reason)
            for r in revisions
        ],
        ("act", "at", "by", "what", "action", "reason"),
    )


@items.command()
@click.argument("ref", required=False)
@json_option
@shared_options
@click.pass_obj
def undo(shared: Shared, ref: str | None, as_json: bool) -> None:
    """Take back the last decision; again and again, without limit. With REF, of that one only."""
    with shared.open() as workspace:
        undone = workspace.undo(ref)
    if as_json:
        output.data(undone)
        return
    output.line(f"undone: {undone.action} of {', '.join(undone.subjects)}")
    for subject in undone.gone:
        output.say(f"{subject} has been purged since", quiet=shared.quiet)


for command in (importing.import_, inbox_.merge, inbox_.split, inbox_.claim):
    items.add_command(command)
