"""A real sentence as an example: CMU ARCTIC a0007, read by the speaker awb.

16 kHz, mono, 16 bits, 4 s; free for any purpose (COPYING beside it).
"""

from __future__ import annotations

from pathlib import Path

RECORDING = Path(__file__).with_name("arctic_a0007.wav")
TEXT = "And you always want to see it in the superlative degree."
NEW_TEXT = "You never want to see it again in the superlative degree."
