"""`python -m app [--host 127.0.0.1] [--port 7860]`: the speech editor as a web page."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.service import Service


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m app", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (%(default)s)")
    parser.add_argument("--port", type=int, default=7860, help="port to listen on (%(default)s)")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends like Ctrl-C: all is tidied
    with suppress(KeyboardInterrupt), tempfile.TemporaryDirectory(prefix="a3t-app-") as temporary:
        folder = Path(temporary).resolve()
        # Uploads go into a folder of this run's own, which is deleted when the page ends.
        os.environ["GRADIO_TEMP_DIR"] = str(folder / "uploads")
        (folder / "uploads").mkdir()
        try:
            from app.service import Service

            service = Service(folder / "uploads", folder / "results")
            with launch(service, options.host, options.port) as address:
                print(f"The page is at {address} (Ctrl-C ends it).", flush=True)
                threading.Event().wait()
        except ModuleNotFoundError as error:
            if error.name != "gradio":
                raise
            print("The page needs gradio: pip install 'a3t[app]'.", file=sys.stderr)
            return 1
        except OSError:
            print(
                f"Port {options.port} on {options.host} can't be used: choose another with --port.",
                file=sys.stderr,
            )
            return 1
    return 0


@contextmanager
def launch(service: Service, host: str, port: int | None) -> Iterator[str]:
    """The page, served on `host` at `port` (None: a free one) while the context lasts; its address.

    Raises OSError if the port can't be had, ModuleNotFoundError without gradio.
    """
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"  # read when gradio is imported
    from app.limits import MAX_MEGABYTES
    from app.page import build_page

    page = build_page(service)
    _, address, _ = page.launch(
        server_name=host,
        server_port=port,
        share=False,
        quiet=True,
        prevent_thread_lock=True,
        max_file_size=MAX_MEGABYTES * 1_000_000,
        ssr_mode=False,
        footer_links=[],
    )
    try:
        yield address.rstrip("/")
    finally:
        page.close(verbose=False)


if __name__ == "__main__":
    sys.exit(main())
