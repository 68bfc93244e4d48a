"""The only door to a judge: an OpenAI-compatible endpoint, through the official client."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Self

from curate.evaluate.judging import Said
from curate.model.errors import CurateError, Exit

try:
    import openai
except ModuleNotFoundError:  # the extra is optional, so this module says what is missing
    raise CurateError(
        "a judge needs the OpenAI client", "Install it: pip install 'curate[judge]'.", Exit.USAGE
    ) from None

_FENCE = re.compile(r"^```(?:json)?\s*|\s*```$")


class Endpoint:
    """An OpenAI-compatible endpoint. Rate limits and passing failures are tried again.

    Use it as a context manager, which closes its connections.
    """

    def __init__(self, url: str | None, key: str, *, timeout: float = 60, retries: int = 5) -> None:
        """Take the base URL (None: OpenAI's own) and the key; `timeout` is in seconds."""
        self._client = openai.OpenAI(
            base_url=url, api_key=key or "none", timeout=timeout, max_retries=retries
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def ask(self, model: str, instruction: str, material: str) -> Said:
        """Return the JSON object the model replies with. A refusal, text that is no JSON, a
        limit or an error of the endpoint is a `Said` with an `error`.

        Raises `CurateError` when the endpoint cannot be reached or knows neither key nor model.
        """
        try:
            done = self._client.chat.completions.create(
                model=model,
                messages=[
                    {"role": "system", "content": instruction},
                    {"role": "user", "content": material},
                ],
            )
        except openai.APITimeoutError:
            return Said({}, "timeout", 0, 0)
        except openai.APIConnectionError:
            raise self._unreachable() from None
        except (openai.AuthenticationError, openai.PermissionDeniedError):
            raise CurateError(
                "the judge's endpoint refuses the key", "Set it with --key.", Exit.USAGE
            ) from None
        except openai.NotFoundError:
            raise CurateError(
                f"the judge's endpoint knows no model `{model}`",
                "Name one it has with --model.",
                Exit.USAGE,
            ) from None
        except openai.APIStatusError as error:
            return Said({}, f"status {error.status_code}", 0, 0)
        except openai.APIError as error:  # a reply of another shape
            return Said({}, type(error).__name__, 0, 0)
        return _said(done)

    def embed(self, model: str, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector per text. Raises `CurateError` when the endpoint gives none."""
        try:
            done = self._client.embeddings.create(
                model=model, input=list(texts), encoding_format="float"
            )
        except openai.APIConnectionError:
            raise self._unreachable() from None
        except openai.APIError as error:
            raise CurateError(
                f"the judge's endpoint gives no embeddings: {type(error).__name__}",
                "Name a model with --embeddings, or leave answer relevancy out.",
            ) from None
        return [row.embedding for row in done.data]

    def _unreachable(self) -> CurateError:
        return CurateError(
            f"the judge's endpoint {self._client.base_url} cannot be reached",
            "Start it, or name another with --url.",
        )


def _said(done: Any) -> Said:
    usage = getattr(done, "usage", None)
    read = getattr(usage, "prompt_tokens", 0) or 0
    written = getattr(usage, "completion_tokens", 0) or 0
    choices = getattr(done, "choices", None) or []
    message = getattr(choices[0], "message", None) if choices else None
    if message is None or getattr(message, "refusal", None):
        return Said({}, "refused" if message is not None else "empty reply", read, written)
    try:
        value = json.loads(_FENCE.sub("", (message.content or "").strip()))
    except (ValueError, RecursionError):
        return Said({}, "not JSON", read, written)
    if not isinstance(value, dict):
        return Said({}, "no JSON object", read, written)
    return Said(value, "", read, written)
