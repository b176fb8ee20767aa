"""The voice of the recording being edited, learnt from its own words.

A recording, an hour or one sentence, is itself the best material for its own edits.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from safetensors.torch import load, save
from torch import Tensor

from a3t.audio.files import atomic_path
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.model.saved_voices import OF_RECORDING, Voice
from a3t.plan.edit_plan import EditPlan
from a3t.pretrained import load_checkpoint
from a3t.voice.adaptation import AdaptationConfig, adapt
from a3t.voice.material import VoicePiece, pieces_of

MOST_KEPT = 64  # voices in the cache; each takes 0.3 MB


def in_recorded_voice(
    editor: Editor,
    plan: EditPlan,
    cache: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    config: AdaptationConfig | None = None,
) -> Editor:
    """An editor adapted to the speaker of a plan's recording, using the words aligned in it.

    What was learnt is kept in the folder ``cache``, if there is one, for the next edit. Words that
    are doubtful teach nothing. Raises InputError if too little is left to learn from.
    """
    config = config or AdaptationConfig()
    path = cache and cache / f"{_digest(editor, plan, config)}.safetensors"
    data = _kept(path)
    if data is None:
        found = pieces_of(plan.recording, plan.alignment)
        pieces = [piece for piece in found if isinstance(piece, VoicePiece)]
        with tempfile.TemporaryDirectory() as folder:
            plain = editor.plain.model
            data = save(adapt(plain, pieces, Path(folder), config, progress).changes)
        _keep(path, data)
    return editor.in_voice(_voice(editor, data))


def _voice(editor: Editor, data: bytes) -> Voice:
    changes: dict[str, Tensor] = load(data)
    model = {"name": editor.name, "sha256": editor.sha256}
    return Voice(OF_RECORDING, model, {}, changes, hashlib.sha256(data).hexdigest())


def _digest(editor: Editor, plan: EditPlan, config: AdaptationConfig) -> str:
    """Identifies everything that determines what is learnt."""
    aligned = json.dumps(plan.alignment.to_json(), sort_keys=True)
    critic = load_checkpoint(config.critic)[2] if config.critic is not None else ""
    pitched = str(find_spec("pyworld") is not None)  # see VoicePiece.pitch
    parts = (editor.sha256, plan.recording.identity, aligned, repr(config), critic, pitched)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _kept(path: Path | None) -> bytes | None:
    try:
        return path.read_bytes() if path is not None else None
    except OSError:
        return None


def _keep(path: Path | None, data: bytes) -> None:
    """Cache the voice; failing to write it is not an error."""
    if path is None:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with atomic_path(path) as temporary:
            temporary.chmod(0o600)
            temporary.write_bytes(data)
        kept = sorted(path.parent.glob("*.safetensors"), key=lambda each: -each.stat().st_mtime)
        for old in kept[MOST_KEPT:]:
            old.unlink(missing_ok=True)
    except (OSError, InputError):
        return
