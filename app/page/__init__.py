"""The page, mounted by Gradio: the editor's place, settings, speech from a prompt, and the
endpoints for programs that Gradio offers."""
