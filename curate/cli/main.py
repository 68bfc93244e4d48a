"""The `curate` command: its groups in order, the options every command takes, its exit codes."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Any

import click

from curate.cli import (
    chunks,
    corpus,
    evaluation,
    ingesting,
    items,
    keeping,
    log,
    output,
    privacy,
    rechunking,
    start,
    versions,
)
from curate.cli.context import Shared, shared_options
from curate.model.errors import CurateError, Exit

SECTIONS: dict[str, tuple[click.Command, ...]] = {
    "Start": (start.init, start.demo, start.status, keeping.doctor, start.open_),
    "The log": (
        ingesting.ingest,
        log.redact,
        log.purge,
        log.forget,
        keeping.schedule,
        keeping.backup,
    ),
    "The set": (items.items,),
    "The documents": (corpus.corpus, chunks.chunks),
    "Versions": (versions.check, versions.export, rechunking.remap, versions.versions),
    "Evaluation": (evaluation.evaluation,),
    "Privacy": (privacy.privacy,),
}


class Sections(click.Group):
    """A group whose help shows its commands under headings, in the order of the work."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order of the work."""
        return [str(command.name) for section in SECTIONS.values() for command in section]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one definition list per section."""
        for heading, commands in SECTIONS.items():
            with formatter.section(heading):
                formatter.write_dl(
                    [(str(command.name), command.get_short_help_str(70)) for command in commands]
                )


@click.group(cls=Sections, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="curate")
@shared_options
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Turn the questions people really ask your document assistant into an evaluation set.

    Questions are anonymised before anything is written, curated in the terminal, exported for
    any harness, and purged on schedule. Begin with `curate demo`.
    """
    ctx.ensure_object(Shared)


for _section in SECTIONS.values():
    for _command in _section:
        cli.add_command(_command)


def main() -> None:
    """Run `curate` and exit with its code: no traceback, no log text, whatever happens."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a Latin-1 terminal has no `›`
    sys.exit(run())


def run(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code, one of `curate.model.errors.Exit`."""
    _no_core_dumps()
    umask = os.umask(0o077)
    try:
        result: Any = cli.main(
            arguments, prog_name="curate", standalone_mode=False, obj=Shared(umask=umask)
        )
        return int(result) if isinstance(result, int) else Exit.DONE
    except CurateError as error:
        output.error(error.message, error.hint)
        return error.code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return Exit.USAGE
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "curate"
        # A stray argument may be somebody's id, and this line may end up in a mail of cron's.
        said = error.format_message().partition("extra argument")
        output.error("".join(said[:2]), f"`{command} --help` shows how.")
        return Exit.USAGE
    except click.ClickException as error:
        output.error(error.format_message())
        return Exit.USAGE
    except (click.Abort, KeyboardInterrupt):
        output.error("stopped")
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as error:
        output.error(
            f"the system said: {error.strerror or type(error).__name__}", _positions(error)
        )
        return Exit.ENVIRONMENT
    except BaseException as error:  # the last door: a traceback could show log text
        if isinstance(error, SystemExit):
            raise
        output.error(f"a bug: {type(error).__name__}", _positions(error))
        return Exit.ENVIRONMENT
    finally:
        os.umask(umask)


def _positions(error: BaseException) -> str:
    """Where it happened, in code positions only: values may be somebody's words."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)[-4:]
    return "at " + " < ".join(
        f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in reversed(frames)
    )


def _no_core_dumps() -> None:
    """A core file holds keys and text."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
