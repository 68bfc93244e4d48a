"""README and privacy.md say what the program does."""

import re
from pathlib import Path

import click
import pytest

from curate import config
from curate.cli.main import cli

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PRIVACY = (ROOT / "privacy.md").read_text(encoding="utf-8")


def commands(group: click.Group, path: str) -> list[tuple[str, click.Command]]:
    found: list[tuple[str, click.Command]] = []
    for name in group.list_commands(click.Context(group)):
        command = group.commands[name]
        if isinstance(command, click.Group):
            found += commands(command, f"{path} {name}")
        else:
            found.append((f"{path} {name}", command))
    return found


COMMANDS = commands(cli, "curate")


@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=[path for path, _ in COMMANDS])
def test_every_command_has_help_and_stands_in_the_readme(path: str, command: click.Command) -> None:
    assert command.help
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{path} {parameter.name}"
    group, _, leaf = path.rpartition(" ")
    row = next((line for line in README.splitlines() if line.startswith(f"| `{path}")), "") or next(
        (line for line in README.splitlines() if line.startswith(f"| `{group}")), ""
    )
    assert leaf in row, f"{path} is not in the README's table"


def test_no_command_in_the_documents_is_made_up() -> None:
    known = {path for path, _ in COMMANDS} | {path.rpartition(" ")[0] for path, _ in COMMANDS}
    for document in (README, PRIVACY):
        for said in re.findall(r"^\s*curate ([a-z]+(?: [a-z]+)?)", document, re.MULTILINE):
            words = said.split()
            assert f"curate {words[0]}" in known or f"curate {said}" in known, said


def test_every_option_in_the_readme_exists() -> None:
    options = {
        option
        for _, command in COMMANDS
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
    }
    for said in set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", README)):
        assert said in options, said


def test_privacy_names_the_entities_and_defaults() -> None:
    settings = config.Settings()

    for entity in settings.privacy.entities:
        assert f"`{entity}`" in PRIVACY
    assert ", ".join(settings.privacy.phone_regions) in PRIVACY
    assert f"{settings.retention.records_days} days" in PRIVACY
    assert f"at most {settings.retention.raw_days} days (`retention.raw_days`)" in PRIVACY
    assert f"for up to {settings.retention.raw_days} days" in PRIVACY


def test_privacy_names_every_file_that_curate_keeps(demo: Path) -> None:
    for path in demo.iterdir():
        if path.name not in (".gitignore", "docs", "logs") and path.suffix != ".lock":
            assert f"`{path.name}" in PRIVACY, path.name


def test_every_command_in_privacy_exists() -> None:
    known = {path for path, _ in COMMANDS}
    for said in re.findall(r"`(curate [a-z ]+)", PRIVACY):
        words = said.split()
        assert {" ".join(words[:2]), " ".join(words[:3])} & known, said


def test_the_readme_has_two_commands_of_one_line_each() -> None:
    section = README.partition("## Two commands")[2].partition("\n## ")[0]
    blocks = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)

    assert [block.count("\n") for block in blocks] == [1, 1]
    assert "curate demo" in blocks[0]
    assert "pytest" in blocks[1]
    assert "<!-- test-command -->" in section


def test_links_lead_somewhere() -> None:
    for document in (README, PRIVACY):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", document):
            assert (ROOT / target).exists(), target
