"""A team's own database as rows: the result of a query, or an application's SQLite file.

The one place of this room that knows SQLAlchemy. Databases are opened read-only wherever they
let themselves be, results are streamed, and no message shows a password or what a row holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import create_engine, event, inspect
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from curate.ingest.row import Row
from curate.ingest.values import plain
from curate.model.errors import CurateError, Exit

_STREAM = 500
_OPEN_WEBUI = (
    ("chat", "SELECT id, user_id, title, chat, created_at, updated_at FROM chat"),
    (
        "feedback",
        "SELECT id, user_id, type, data, meta, snapshot, created_at, updated_at FROM feedback",
    ),
)
_READ_ONLY = {
    "postgresql": "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
    "mysql": "SET SESSION TRANSACTION READ ONLY",
    "mariadb": "SET SESSION TRANSACTION READ ONLY",
}
_HINT = "Try the query in the database's own shell; `--recipe` names are for unchanged tables."
_UNREACHED = "Check the URL, the user's rights and the password, and that the database is running."


def query(url: str, sql: str) -> Iterator[Row]:
    """Yield the rows of `sql` at `url` (an SQLAlchemy URL), numbered from 1.

    Columns are taken by their names, so alias them to fields: `id, question, answer, session_id,
    user_id, ts, rating, comment, chunks, history`. Raises `CurateError` for a URL, a driver, a
    connection or a query that does not work.
    """
    engine, shown = _engine(url)
    try:
        try:
            connection = engine.connect()
        except SQLAlchemyError as error:
            raise CurateError(f"{shown} did not open ({_kind(error)})", _UNREACHED) from None
        with connection:
            yield from _rows(connection, sql)
    except SQLAlchemyError as error:
        raise CurateError(f"{shown} refused the query ({_kind(error)})", _HINT) from None
    finally:
        engine.dispose()


def _kind(error: SQLAlchemyError) -> str:
    """Return what an error is called: what it says may quote rows, or a password."""
    return type(error.__cause__ or error).__name__


def open_webui(path: Path) -> Iterator[Row] | None:
    """Return the rows of an Open WebUI database file, chats first; None for any other file."""
    engine, shown = _engine(URL.create("sqlite", database=str(path)))
    try:
        tables = set(inspect(engine).get_table_names())
    except SQLAlchemyError:
        return None
    finally:
        engine.dispose()
    if "chat" not in tables:
        return None
    return _open_webui(engine, shown, tables)


def _open_webui(engine: Engine, shown: str, tables: set[str]) -> Iterator[Row]:
    line = 0
    try:
        with engine.connect() as connection:
            for table, sql in _OPEN_WEBUI:
                if table in tables:
                    for row in _rows(connection, sql):
                        line += 1
                        yield Row(line, row.value)
    except SQLAlchemyError as error:
        raise CurateError(f"{shown} could not be read ({_kind(error)})", _HINT) from None
    finally:
        engine.dispose()


def _rows(connection: Connection, sql: str) -> Iterator[Row]:
    streamed = connection.execution_options(
        stream_results=True, yield_per=_STREAM, no_parameters=True
    )
    # Not `text()`: neither a colon nor a percent sign in the user's SQL is a parameter.
    for number, row in enumerate(streamed.exec_driver_sql(sql).mappings(), 1):
        yield Row(number, {str(name): plain(value) for name, value in row.items()})


def _engine(url: str | URL) -> tuple[Engine, str]:
    try:
        parsed = make_url(url)
        if parsed.get_backend_name() == "sqlite" and parsed.database:
            engine = create_engine(_read_only(parsed), hide_parameters=True)
        else:
            engine = create_engine(parsed, hide_parameters=True)
            if statement := _READ_ONLY.get(parsed.get_backend_name()):
                _read_only_sessions(engine, statement)
    except ArgumentError:
        raise CurateError(
            "this is no database URL",
            "Write it like postgresql+psycopg://user@host/name or sqlite:///file.db.",
            Exit.USAGE,
        ) from None
    except (NoSuchModuleError, ImportError):
        raise CurateError(
            "the driver of this kind of database is not installed",
            "Install it beside curate: pip install 'curate[postgres]' (postgresql+psycopg://) or "
            "'curate[mysql]' (mysql+pymysql://, MariaDB too).",
        ) from None
    # Neither user nor query: drivers take passwords there, too, and a password may hold an @.
    return engine, f"the {parsed.get_backend_name()} database"


def _read_only(url: URL) -> URL:
    database = str(url.database)
    if database.startswith("file:"):
        return url
    return URL.create(
        "sqlite", database=f"file:{quote(database)}", query={"mode": "ro", "uri": "true"}
    )


def _read_only_sessions(engine: Engine, statement: str) -> None:
    @event.listens_for(engine, "connect")
    def connect(connection: DBAPIConnection, _: object) -> None:
        cursor = connection.cursor()
        cursor.execute(statement)
        cursor.close()
        connection.commit()
