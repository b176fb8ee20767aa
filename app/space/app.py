"""The editor on a Hugging Face Space, which their page frames: see README.md."""

import sys

from a3t.__main__ import main

OPEN = ["--host", "0.0.0.0", "--no-auth", "--frame-from", "huggingface.co"]

if __name__ == "__main__":
    sys.exit(main(["app", *OPEN, *sys.argv[1:]]))
