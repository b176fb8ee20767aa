"""What a file tells of its synthetic parts, by the record in it or by its watermark."""

from __future__ import annotations

from pathlib import Path

from a3t.audio.output.provenance import provenance_of
from a3t.audio.output.watermark import watermarks_in
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError


def account_of(path: Path) -> str:
    """Return what the file's record or watermark says of its synthetic parts, in lines.

    Raises
    ------
    InputError
        If it isn't a sound file.
    """
    provenance = provenance_of(path)
    if not provenance.traces:
        marks, unsearched = searched(path)
        if marks:
            places = [f"{start:10.2f} – {end:.2f} s" for start, end in marks]
            without = f"{path} has no record of synthetic parts"
            return "\n".join([f"{without}, but the watermark of a3t's new words at", *places])
        without = unsearched or "It has no watermark of a3t's either."
        return (
            f"{path} has no record of synthetic parts. {without} That proves nothing: a mark "
            "is lost in less than a second, at another speed or on purpose, and other programs "
            "leave none."
        )
    parts = sum(trace.synthetic for trace in provenance.traces)
    seconds = provenance.samples / provenance.sample_rate
    lines = [
        f"{path}: {provenance.synthetic_seconds:.2f} of {seconds:.2f} s are synthetic, "
        f"in {parts} {'part' if parts == 1 else 'parts'}."
    ]
    for trace in provenance.traces:
        what = f"“{trace.words}”" if trace.words else "" if trace.synthetic else "(a cut)"
        made = "recorded elsewhere" if trace.moved else trace.models
        lines.append(f"{trace.start:10.3f} – {trace.end:.3f} s  {what}  {made}".rstrip())
    if not provenance.intact:
        lines.append("The file's length has changed since a3t wrote it: the times may be wrong.")
    return "\n".join(lines)


def searched(path: Path) -> tuple[list[tuple[float, float]] | None, str]:
    """Return the watermarks of a sound file in seconds, or None and why it can't be searched."""
    try:
        recording = Recording.open(path)
    except InputError as error:
        return None, f"It wasn't searched for a watermark: {error}"
    return watermarks_in(recording), ""
