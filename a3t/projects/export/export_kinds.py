"""The kinds of exports: how their files end, and what they need."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from a3t.errors import InputError

ENDINGS = {
    "textgrid": ".TextGrid",
    "labels": ".labels.txt",
    "srt": ".srt",
    "vtt": ".vtt",
    "word-srt": ".words.srt",
    "word-vtt": ".words.vtt",
    "csv": ".edits.csv",
    "edl": ".edl",
    "otio": ".otio",
    "xml": ".xml",
    "fcpxml": ".fcpxml",
    "rpp": ".rpp",
    "md": ".md",
    "docx": ".docx",
    "png": ".png",
}

# The extra that brings what some exports need, and these packages.
EXTRAS = {
    "otio": ("exports", "OpenTimelineIO"),
    "xml": ("exports", "OpenTimelineIO", "otio-fcp-adapter"),
    "docx": ("exports", "python-docx"),
    "png": ("demo", "matplotlib"),
}


def export_paths(out: Path, kinds: Sequence[str]) -> list[Path]:
    """Return the paths of the exports of these kinds."""
    return [out.with_name(f"{out.stem}{ENDINGS[kind]}") for kind in kinds]


def export_files(out: Path, kinds: Sequence[str]) -> list[Path]:
    """Return all files that the exports are: labels have their phones in a second one."""
    phones = [out.with_name(f"{out.stem}.labels.phones.txt")] if "labels" in kinds else []
    return [*export_paths(out, kinds), *phones]


def is_here(kind: str) -> bool:
    """Return whether what an export needs is installed."""
    return all(map(_is_installed, EXTRAS.get(kind, ())[1:]))


def _is_installed(package: str) -> bool:
    try:
        distribution(package)
    except PackageNotFoundError:
        return False
    return True


def require_packages(kinds: Sequence[str]) -> None:
    """Raise InputError if a package that one of these exports needs is not installed."""
    for kind in kinds:
        if not is_here(kind):
            extra, *packages = EXTRAS[kind]
            needed = " and ".join(packages)
            raise InputError(f"A .{kind} file needs {needed}: pip install 'a3t[{extra}]'.")
