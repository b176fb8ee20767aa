"""The corpora's makers and licences, for the cards of models trained on them."""

from __future__ import annotations

ATTRIBUTIONS = {
    "commonvoice": "Mozilla Common Voice (its contributors), CC0 1.0",
    "speechocean": "speechocean762 (Junbo Zhang et al.), CC BY 4.0",
    "librispeech": "LibriSpeech (c) 2014 Vassil Panayotov, CC BY 4.0, from LibriVox recordings",
    "libritts": "LibriTTS (Google, from LibriVox recordings), CC BY 4.0",
    "ljspeech": "the LJ Speech Dataset (Keith Ito), public domain",
    "kathleen": "Voice Dataset (Kathleen), Rhasspy project, CC0 1.0",
    "vctk": "CSTR VCTK Corpus (C. Veaux, J. Yamagishi, K. MacDonald, University of Edinburgh), "
    "ODC-By 1.0 (release 0.80) or CC BY 4.0 (0.92)",
}


def attribution(corpora: list[str]) -> str:
    """Write one sentence for a model's card."""
    return f"Trained on {'; '.join(ATTRIBUTIONS[name] for name in corpora)}."
