"""The options every command takes, before or after its name, and the workspace they name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from datetime import datetime

    from curate.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Shared:
    """What the shared options said. `umask` is the user's own, from before ours."""

    workspace: Path | None = None
    moment: str | None = None
    who: str | None = None
    quiet: bool = False
    umask: int = 0o022

    def root(self) -> Path:
        """Return the workspace: --workspace, else CURATE_WORKSPACE, else the nearest directory
        from here upwards that holds a `curate.toml`, else here.
        """
        from curate import config

        named = self.workspace or config.workspace_from_environment()
        if named:
            return named
        here = Path.cwd()
        for place in (here, *here.parents):
            if (place / config.FILE).is_file():
                return place
        return here

    def clock(self) -> Callable[[], datetime]:
        """Return the clock: --now or CURATE_NOW stand still, the system's runs."""
        from curate import config

        config.now(self.moment)
        return lambda: config.now(self.moment)

    def open(self) -> Workspace:
        """Open the workspace that the options name."""
        from curate.workspace.workspace import Workspace

        return Workspace.open(self.root(), self.clock(), self.who)


def shared_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --workspace, --now, --as and --quiet to a command; what is said last wins."""
    for option in (
        click.option(
            "--quiet", is_flag=True, default=None, help="No narration on stderr.", **_keep("quiet")
        ),
        click.option("--as", "who", metavar="NAME", help="Who decides.", **_keep("who")),
        click.option(
            "--now",
            "moment",
            metavar="TIME",
            help="The clock, as ISO 8601; default: CURATE_NOW, else the system's.",
            **_keep("moment"),
        ),
        click.option(
            "--workspace",
            metavar="DIR",
            type=click.Path(path_type=Path),
            help="The workspace; default: CURATE_WORKSPACE, else here or above.",
            **_keep("workspace"),
        ),
    ):
        command = option(command)
    return command


def _keep(name: str) -> dict[str, Any]:
    def callback(ctx: click.Context, param: click.Parameter, value: object) -> None:
        if value is not None:
            ctx.obj = replace(ctx.obj or Shared(), **{name: value})

    return {"expose_value": False, "callback": callback, "is_eager": True}


as_is_option = click.option(
    "--as-is", is_flag=True, help="Store what was typed though it looks like personal data."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
