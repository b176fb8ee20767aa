"""The worker process's tasks for a project; imported there, so the server needs no torch."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

LEARNT = "learnt "  # begins what is told of a step of learning a voice; its number and all follow


def _of(module: str, name: str, editor: object, *args: object) -> Any:
    return getattr(import_module(f"{__package__}.{module}"), name)(editor, *args)


def listed_words(editor: object, text: str) -> Any:
    """Return the pronunciations of a list of words; the editor isn't needed."""
    from a3t.text.pronunciation import pronouncer

    return pronouncer.listed_words(text, "The list")


phones_said = partial(_of, "listening", "phones_said")
ingest = partial(_of, "listening", "ingest")
read_text = partial(_of, "listening", "read_text")
find_places = partial(_of, "listening", "find_places")
align_place = partial(_of, "listening", "align_place")
hear_source = partial(_of, "listening", "hear_source")
measure_track = partial(_of, "listening", "measure_track")
join_tracks = partial(_of, "tracks", "join_tracks")
recognise_part = partial(_of, "listening", "recognise_part")
tell_speakers = partial(_of, "listening", "tell_speakers")
correct_tokens = partial(_of, "listening", "correct_tokens")
learn_voice = partial(_of, "learning", "learn_voice")
make_whole_text = partial(_of, "take_making", "make_whole_text")
make_take = partial(_of, "take_making", "make_take")
make_recorded = partial(_of, "take_making", "make_recorded")
mix_down = partial(_of, "mixdown", "mix_down")
