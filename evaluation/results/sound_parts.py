"""The parts of RESULTS.md that say how new words sound, and what stays as it was."""

from __future__ import annotations

import math

import numpy as np
import torch

from evaluation.results.setting import Figures, Setting, interval, percent, share
from training.corpora import corpora_root, is_unseen

CONDITIONS = {"clean": "clean", "noise": "pink noise 20 dB", "room": "room", "phone": "8 kHz"}
EDIT_MEASURES = ("similarity", "dnsmos", "dnsmos_p808", "f0_range", "detail", "level")


def untouched(setting: Setting) -> Figures:
    """Random edits of many formats: is all else as it was, are the new words there?"""
    from evaluation.edits.scripted_edits import edit_files

    torch.set_num_threads(1)
    rows = edit_files(setting.editor, setting.some(25), 7)
    seconds = [row.seconds for row in rows]
    return {
        "files": len(rows),
        "edits": sum(row.edits for row in rows),
        "equal": sum(row.untouched for row in rows),
        "words": sum(row.new_words for row in rows),
        "heard": sum(row.heard for row in rows),
        "seconds": float(np.median(seconds)),
        "longest": float(np.percentile(seconds, 95)),
    }


def edits(setting: Setting) -> Figures:
    """New words in the first listed edits of unseen voices, under four conditions."""
    from evaluation.edits import edits_table
    from evaluation.edits.experiment import run_experiment
    from evaluation.edits.listing import find_clips, read_list

    listed = [edit for edit in read_list() if edit.set == "report"]
    listed = listed[: setting.some(24, 24)]
    clips = find_clips(listed, corpora_root())
    folder = setting.work / "edits"
    rows, _ = run_experiment(
        setting.editor, listed, clips, list(CONDITIONS.values()), folder, resume=True
    )
    found: Figures = {"voices": len({row.voice for row in rows})}
    every = edits_table.by_edit(rows)
    for name, condition in CONDITIONS.items():
        pairs = {key: pair for key, pair in every.items() if key[1] == condition}
        found[f"{name}.edits"] = len(pairs)
        for measure in EDIT_MEASURES:
            figures = edits_table.compared(pairs, measure)
            both = np.array([figures.patch, figures.natural])
            both = both[:, ~np.isnan(both).any(axis=0)]  # so that the difference is the means'
            found[f"{name}.{measure}.ours"], found[f"{name}.{measure}.natural"] = both.mean(axis=1)
            found[f"{name}.{measure}.difference"] = interval(both[0] - both[1])
        for side in ("patch", "every"):
            levels = getattr(edits_table.compared(pairs, "level"), side)
            valid = [level for level in levels if not math.isnan(level)]
            key = "ours" if side == "patch" else "natural"
            found[f"{name}.spread.{key}"] = float(np.std(valid))
            found[f"{name}.worst.{key}"] = max(valid, key=abs)
        joints = [
            [figures.get(f"joint_{measure}", math.nan) for measure in ("dip", "flux", "jump")]
            for figures, _ in pairs.values()
        ]
        found[f"{name}.joints"] = 100 * float(np.nanmax(np.nanmean(joints, axis=0)))
    clean = [own["similarity"] for (_, name), (own, _) in every.items() if name == "clean"]
    found["farthest"] = float(np.nanmin(clean))
    return found


def detector(setting: Setting) -> Figures:
    """A classifier's success in telling new words and copies from recorded speech."""
    from evaluation.detector import detector_command as command
    from evaluation.detector.detector_material import COPY, NATURAL, PATCH, draw_edits

    # Never fewer: what a classifier learns, and so what it tells, depends on their number.
    drawn = draw_edits(setting.clips, "report", setting.some(40, 40))
    _, stretches, failed = command.make_stretches(
        setting.editor, drawn, setting.clips, ["clean"], setting.work / "detector"
    )
    found: Figures = {"edits": len(drawn) - failed}
    for name, made in (("patch", PATCH), ("copy", COPY)):
        for band, shown in (("all", "all bands"), ("below", "below 7 kHz")):
            area = command.area_of(stretches, made, NATURAL, shown)
            if area is not None:
                found[f"{name}.{band}"] = [area.value, area.low, area.high, found["edits"]]
    return found


def vocoder(setting: Setting) -> Figures:
    """Clips of unseen voices to mels and back."""
    from evaluation.vocoders import draw_parts, measure_vocoders

    unseen = [clip for clip in setting.clips if is_unseen(clip.voice)]
    rows = measure_vocoders(draw_parts(unseen, setting.some(8)), ["builtin"])
    names = ("pesq", "stoi", "mcd", "similarity", "processor")
    figures = {name: interval(getattr(row, name) for row in rows) for name in names}
    return {"clips": len(rows), **figures}


def speech(setting: Setting) -> Figures:
    """A sentence spoken after a prompt, by unseen voices."""
    from evaluation.edits import spoken_prompts

    pairs = spoken_prompts.prompts(setting.clips, "report", setting.some(6))
    rows, _ = spoken_prompts.measure_prompts(setting.editor, pairs, setting.work / "speech")
    found: Figures = {}
    for name, system in (("ours", spoken_prompts.MODEL), ("natural", spoken_prompts.NATURAL)):
        own = [row for row in rows if row.system == system]
        found["voices"] = len(own)
        for measure in ("similarity", "dnsmos", "f0_range", "heard"):
            found[f"{measure}.{name}"] = float(np.nanmean([getattr(row, measure) for row in own]))
    for measure in ("similarity", "dnsmos", "f0_range"):
        of_voice = {(row.voice, row.system): getattr(row, measure) for row in rows}
        found[f"{measure}.difference"] = interval(
            of_voice[row.voice, spoken_prompts.MODEL] - getattr(row, measure)
            for row in rows
            if row.system == spoken_prompts.NATURAL
        )
    return found


def joints(setting: Setting) -> Figures:
    """Joints of recorded with recorded speech: deletions and moves."""
    from evaluation.edits.recorded_joints import measure_joints

    found: Figures = {}
    for name, count, shares, natural in measure_joints(setting.editor, setting.some(36, 12), 7):
        key = name.replace(" ", "-")
        found[f"{key}.joints"] = count
        found[f"{key}.all"] = share(round(count * shares[3]), count)
        found[f"{key}.natural"] = 100 * natural[3]
    return found


def voices(setting: Setting) -> Figures:
    """Edits of a minute's recording before and after learning its voice."""
    from evaluation.edits.edits_table import changes
    from evaluation.edits.learnt_voices import measure_learning

    folder = setting.work / "voices"
    done = measure_learning(
        setting.editor,
        setting.clips,
        "report",
        1.0,
        folder,
        voices=setting.some(4, 2),
        recordings=1,
        edits=5,
        resume=True,
    )
    found: Figures = {"seconds": done.seconds, "recordings": len({row.voice for row in done.after})}
    for measure in ("similarity", "dnsmos"):
        found[measure] = interval(values := changes(done.after, done.before, measure))
        found[f"{measure}.higher"] = percent(sum(value > 0 for value in values), len(values))
    return found


def backgrounds(setting: Setting) -> Figures:
    """The share of edits that warn of music, and the drop of a hum under new words."""
    from evaluation.edits.background_under_edits import measure_backgrounds

    found: Figures = {}
    for each in measure_backgrounds(
        setting.editor, setting.some(8), 17, ("hum", "music", "nothing")
    ):
        key = f"{each.kind}.{-each.level:g}"
        found[f"{key}.said"] = percent(sum(each.said), len(each.said))
        if len(each.falls):
            found[f"{key}.without"], found[f"{key}.with"] = np.median(each.falls, axis=0).tolist()
    return found
