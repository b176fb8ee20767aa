"""The folded panel: every setting of an edit beside its texts, with sound defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gradio as gr
from gradio.blocks import Block

from a3t.model.saved_voices import voice_names
from a3t.plan.request import EditRequest
from app import texts
from app.page_request import (
    USUAL,
    VOCODERS,
    Models,
    PageRequest,
    aligners_here,
    matching_of,
    models_here,
    models_of,
    texts_of,
)

MOST_SEED = 2**31 - 1
MOST_TAKES = 3
FIELDS = {"bandwidth": "bandwidth", "spectrum": "spectrum", "room": "room_tone"}  # of MatchedTraits
Given = Mapping[Any, Any]  # component -> its value


class Settings:
    """Built where it should appear, inside a `gr.Blocks`."""

    def __init__(self) -> None:
        with gr.Accordion(texts.MORE, open=False, elem_id="more"):
            self.takes = gr.Slider(
                1, MOST_TAKES, 1, step=1, label=texts.NUMBER_OF_TAKES, elem_id="number"
            )
            self.speed = gr.Slider(0.5, 2.0, 1.0, step=0.05, label=texts.SPEED)
            self.fit = gr.Checkbox(False, label=texts.FIT)
            self.duration = gr.Number(0.0, label=texts.DURATION, step=0.05, minimum=0, maximum=60)
            self.margin = gr.Slider(0, 200, 25, step=5, label=texts.MARGIN)
            self.match = gr.CheckboxGroup(
                texts.MATCHED,
                value=[kind for _, kind in texts.MATCHED],
                label=texts.MATCH,
                info=texts.MATCH_INFO,
            )
            self.seed = gr.Number(
                label=texts.SEED, value=0, precision=0, minimum=0, maximum=MOST_SEED
            )
            self.kind = gr.Radio(
                [(texts.RECORDED, ""), *texts.FILE_TYPES], value="", label=texts.FILE_TYPE
            )
            self.voice = gr.Dropdown(
                [(texts.NO_VOICE, ""), *voice_names()], value="", label=texts.VOICE
            )
            self.model = gr.Radio(list(models_here()), value=USUAL.model, label=texts.MODEL)
            self.vocoder = gr.Radio(list(VOCODERS), value=USUAL.vocoder, label=texts.VOCODER)
            self.aligner = gr.Radio(list(aligners_here()), value=USUAL.aligner, label=texts.ALIGNER)

    def components(self) -> set[Block]:
        return {value for value in vars(self).values() if isinstance(value, Block)}

    def showing(self, request: EditRequest) -> dict[Any, Any]:
        """The components with the values of a request."""
        kinds = [kind for _, kind in texts.MATCHED]
        return {
            self.speed: request.speed,
            self.fit: request.fit,
            self.duration: request.duration or 0.0,
            self.margin: 1000 * request.margin,
            self.match: [kind for kind in kinds if getattr(request.match, FIELDS[kind])],
            self.seed: request.seed,
        }

    def models(self, given: Given) -> Models:
        """The models chosen; InputError for one that isn't here."""
        names = (self.model, self.vocoder, self.aligner, self.voice)
        return models_of(*(given[name] for name in names))

    def request(self, given: Given, text: str, new_text: str) -> PageRequest:
        """The fields as an edit; InputError naming the one that can't be used."""
        old_text, new_text = texts_of(text, new_text)
        edit = EditRequest(
            new_text=new_text,
            text=old_text,
            speed=float(given[self.speed]),
            fit=bool(given[self.fit]),
            duration=float(given[self.duration]) if given[self.duration] else None,
            margin=float(given[self.margin]) / 1000,
            match=matching_of(given[self.match] or ()),
            candidates=min(max(1, int(given[self.takes])), MOST_TAKES),
            seed=int(given[self.seed] or 0),
        )
        suffix = given[self.kind] if given[self.kind] in (".wav", ".flac") else ""
        return PageRequest(edit, suffix, self.models(given))
