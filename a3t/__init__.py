"""A speech editor: change the text of a recording and get the recording with the new words.

>>> from a3t import Editor
>>> Editor.load().edit("in.wav", new_text="...").save("out.wav")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from a3t.editor import Editor as Editor

__version__ = "1.2.0"
__all__ = ["Editor", "__version__"]


def __getattr__(name: str) -> object:
    # Imported on first use, so that `import a3t.text` doesn't load torch.
    if name == "Editor":
        from a3t.editor import Editor

        return Editor
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
