"""One list of everything done to personal data and its guards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curate.model.custody import Audit

if TYPE_CHECKING:
    from curate.workspace.workspace import Workspace

_DIGEST = len("sha256:") + 12


def entries(workspace: Workspace, limit: int) -> list[Audit]:
    """Return the newest entries first: what is on record, receipts of purges and erasures, and
    looks at holdout scores. Ids, counts and the reasons of looks; never text of the log.
    """
    store = workspace.store
    found = store.audits(limit)
    for receipt in store.receipts(limit=limit):
        told = ", ".join(f"{number} {name}" for name, number in receipt.counts.items() if number)
        detail = f"{receipt.status}: {told or 'nothing to remove'}"
        found.append(Audit(receipt.at, receipt.by, receipt.kind, "", detail))
    for look in store.looks(limit):
        version = "" if look.version is None else f"v{look.version:04}"
        detail = f"{look.why or 'no reason given'} ({look.run[:_DIGEST]})"
        found.append(Audit(look.at, look.by, "look at holdout", version, detail))
    return sorted(found, key=lambda entry: entry.at, reverse=True)[:limit]
