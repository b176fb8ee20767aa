"""The editor in a notebook: `from app import front; front().launch()`."""

from __future__ import annotations

import atexit
import sys
import threading
from contextlib import ExitStack, suppress
from pathlib import Path

from a3t.user_folders import data_folder
from app import PageOptions
from app.application import running
from app.guard import Callers
from app.server.voice_folder import voices_in

NOTEBOOKS = "http://localhost:* http://127.0.0.1:*"  # whose pages frame the editor


class Front:
    """The editor's server, which runs beside the program that started it.

    Parameters
    ----------
    projects : Path, optional
        The folder of the script editor's projects, by default that of `a3t app`.
    frame_from : str
        Whose pages may frame it, by default this computer's: a site, or origins.
    """

    def __init__(self, projects: Path | None = None, frame_from: str = NOTEBOOKS) -> None:
        self._page = PageOptions(
            projects=projects or data_folder("projects"), frame_from=frame_from
        )
        self._running = ExitStack()

    def launch(
        self,
        server_port: int | None = None,
        inline: bool | None = None,
        height: int = 800,
        prevent_thread_lock: bool = False,
    ) -> str:
        """Start the server, show it, and return its address; the parameters are Gradio's.

        Parameters
        ----------
        server_port : int, optional
            A free one by default.
        inline : bool, optional
            Whether to show it in the notebook, by default wherever there is one.
        height : int
            Of the frame, in pixels.
        prevent_thread_lock : bool
            Whether a program without a notebook goes on, instead of waiting for Ctrl-C.

        Raises
        ------
        InputError
            If the port can't be had.
        """
        self.close()
        callers, where = Callers(None, with_page=True, local_only=True), ("127.0.0.1", server_port)
        server = running(where, callers, voices_in(None), self._page)
        address, _ = self._running.enter_context(server)
        atexit.register(self.close)
        if in_notebook() if inline is None else inline:
            from IPython.display import IFrame, display

            display(IFrame(address, width="100%", height=height, allow="microphone"))
        else:
            print(f"The page is at {address}.", flush=True)
            if not (prevent_thread_lock or in_notebook()):
                with suppress(KeyboardInterrupt):
                    threading.Event().wait()
                self.close()
        return address

    def close(self) -> None:
        """Stop the server."""
        atexit.unregister(self.close)
        self._running.close()


def in_notebook() -> bool:
    """Return whether IPython runs this program."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and ipython.get_ipython() is not None
