"""The drawer of settings: how new words are made; the page's script reads it."""

from __future__ import annotations

import gradio as gr
from gradio.blocks import Block

from a3t.model.saved_voices import voice_names
from app import texts
from app.page_request import USUAL, VOCODERS, aligners_here, models_here

MAX_SEED = 2**31 - 1
CHANGED = "a3t-settings"  # the event that tells the script of the values


class Settings:
    """Built where it should appear, inside a `gr.Blocks`."""

    def __init__(self) -> None:
        with gr.Column(elem_id="more"):
            gr.Markdown(f"## {texts.MORE}\n\n{texts.SETTINGS_HINT}")
            self.speed = gr.Slider(0.5, 2.0, 1.0, step=0.05, label=texts.SPEED)
            self.voice = gr.Dropdown(
                [(texts.NO_VOICE, ""), *voice_names()], value="", label=texts.VOICE
            )
            self.match = gr.CheckboxGroup(
                texts.MATCHED,
                value=[kind for _, kind in texts.MATCHED],
                label=texts.MATCH,
                info=texts.MATCH_INFO,
            )
            self.kind = gr.Radio(
                [(texts.RECORDED, ""), *texts.FILE_TYPES], value="", label=texts.FILE_TYPE
            )
            with gr.Accordion(texts.ADVANCED, open=False):
                self.fit = gr.Checkbox(False, label=texts.FIT)
                self.margin = gr.Slider(0, 100, 25, step=5, label=texts.MARGIN)
                self.model = gr.Radio(list(models_here()), value=USUAL.model, label=texts.MODEL)
                self.vocoder = gr.Radio(list(VOCODERS), value=USUAL.vocoder, label=texts.VOCODER)
                self.aligner = gr.Radio(
                    list(aligners_here()), value=USUAL.aligner, label=texts.ALIGNER
                )
                self.seed = gr.Number(
                    label=texts.SEED, value=0, precision=0, minimum=0, maximum=MAX_SEED
                )
        fields = {name: value for name, value in vars(self).items() if isinstance(value, Block)}
        names = ", ".join(fields)
        gr.on(
            [getattr(field, "change") for field in fields.values()],  # noqa: B009
            None,
            list(fields.values()),
            js=f"""({names}) => {{
                window.a3tSettings = {{{names}}};
                window.dispatchEvent(new Event("{CHANGED}"));
            }}""",
            api_visibility="private",
        )
