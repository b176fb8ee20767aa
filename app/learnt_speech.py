"""Speech by a prompt whose voice is learnt first, in a worker's process."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from app.progress import LEARN

if TYPE_CHECKING:  # torch is imported with the models, in their processes
    from a3t.editor import Editor
    from a3t.rendering.spoken import SpokenRecording


def learnt_speech(
    editor: Editor, prompt: Path, text: str, prompt_text: str | None, seed: int, speed: float
) -> SpokenRecording:
    """As `Editor.tts`, in the prompt's own voice if there is enough of it to learn from."""
    from a3t.source.alignment_cache import voices_cache
    from a3t.voice.of_recording import adapted_to_prompts

    def tell(done: int, steps: int) -> None:
        if editor.progress is not None:
            editor.progress(f"{LEARN} {done} {steps}")

    plan = editor.plan_speech(prompt, text, prompt_text, seed, speed)
    own = adapted_to_prompts(editor, plan, "auto", voices_cache(), tell)
    own.progress = editor.progress
    return own.spoken(plan)
