"""The tab in which a text is spoken in a recorded voice (Editor.tts)."""

from __future__ import annotations

from contextvars import copy_context

import gradio as gr

from app import texts
from app.page.page_requests import LINE, PROGRESS, asked, cancelling
from app.page.settings import MAX_SEED
from app.service import Service


class SpeakTab:
    """Built inside a `gr.Blocks`. Each request stands alone; nothing of it is kept."""

    def __init__(self, service: Service) -> None:
        self.service = service
        with gr.Row():
            with gr.Column(min_width=300):
                self.prompt = gr.Audio(
                    label=texts.PROMPT,
                    type="filepath",
                    sources=["upload", "microphone"],
                    buttons=[],
                    editable=False,
                    elem_id="prompt",
                )
                self.prompt_text = gr.Textbox(
                    label=texts.PROMPT_TEXT, lines=2, placeholder=texts.TRANSCRIPT_HINT
                )
            with gr.Column(min_width=300):
                self.text = gr.Textbox(label=texts.SAY, lines=3, elem_id="say")
                with gr.Accordion(texts.MORE, open=False):
                    self.speed = gr.Slider(0.5, 2.0, 1.0, step=0.05, label=texts.SPEED)
                    self.seed = gr.Number(
                        label=texts.SEED, value=0, precision=0, minimum=0, maximum=MAX_SEED
                    )
                with gr.Row():
                    self.speak = gr.Button(texts.SPEAK, variant="primary", elem_id="speak")
                    self.cancel = gr.Button(texts.CANCEL, elem_id="speak-cancel")
                self.spoken = gr.Audio(
                    label=texts.SPOKEN,
                    type="filepath",
                    interactive=False,
                    buttons=["download"],
                    elem_id="spoken",
                )
                self.record = gr.File(label=texts.SPEECH_FILE)
        running = self.speak.click(
            self.on_speak,
            [self.prompt, self.prompt_text, self.text, self.seed, self.speed],
            [self.spoken, self.record, self.prompt_text],
            show_progress_on=[self.spoken],
            api_visibility="private",
            **LINE,
        )
        self.cancel.click(
            cancelling(service),
            cancels=[running],
            queue=False,
            api_visibility="private",
        )

    def on_speak(
        self,
        prompt: str | None,
        prompt_text: str,
        text: str,
        seed: float | None,
        speed: float,
        request: gr.Request,
        progress: gr.Progress = PROGRESS,
    ) -> tuple[str, str, str]:
        here = copy_context()  # in which Gradio knows whose progress this is

        def show(share: float, step: str) -> None:
            here.run(progress, share, step)

        given = (prompt, text, prompt_text, seed, speed)
        page = request.session_hash or ""
        audio, record, used = asked(self.service, "tts", *given, page=page, show=show)
        return audio, record, used
