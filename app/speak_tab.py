"""The tab in which a text is spoken in a recorded voice (Editor.tts)."""

from __future__ import annotations

import gradio as gr

from app import texts
from app.api import speech_wanted
from app.error_sentences import one_sentence
from app.gradio_queue import AT_ONCE, EDITOR, PROGRESS, cancelling, page_of
from app.service import Service
from app.settings import MOST_SEED


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
                self.learns = gr.Checkbox(
                    False,
                    label=texts.LEARN_FIRST,
                    info=texts.LEARN_FIRST_INFO,
                    visible=service.learning is not None,
                    elem_id="learn-first",
                )
                with gr.Accordion(texts.MORE, open=False):
                    self.speed = gr.Slider(0.5, 2.0, 1.0, step=0.05, label=texts.SPEED)
                    self.seed = gr.Number(
                        label=texts.SEED, value=0, precision=0, minimum=0, maximum=MOST_SEED
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
            [self.prompt, self.prompt_text, self.text, self.seed, self.speed, self.learns],
            [self.spoken, self.record, self.prompt_text],
            show_progress_on=[self.spoken],
            concurrency_id=EDITOR,
            concurrency_limit=AT_ONCE,
            api_visibility="private",
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
        learns: bool,
        request: gr.Request,
        progress: gr.Progress = PROGRESS,
    ) -> tuple[str, str, str]:
        with one_sentence():
            adapt = "auto" if learns else "never"
            speech = speech_wanted(text, prompt_text, seed, speed, adapt)
            with self.service.running.watch(
                page_of(request), lambda share, step: progress(share, desc=step)
            ) as watch:
                audio, record, used = self.service.tts(prompt, speech, watch)
            return str(audio), str(record), used
