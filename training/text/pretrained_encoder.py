"""Pretrained language models as encoders (section 3.1 of the FFA paper), by the names they have.

The paper has Funnel-Transformer for the interaction stream and BART for the masked one:
``pretrained: [funnel-transformer/xlarge, facebook/bart-large]``. Any model that `transformers`
loads by its AutoModel will do; of one with an encoder and a decoder, the decoder's output is used,
as it sees what came before. Models are downloaded once, or read from a folder; only safetensors are
read. Pauses aren't made use of: such a model has no place for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from a3t.errors import InputError
from a3t.text.punctuation.network import FFA, FFAConfig, PunctuationNetwork


class PretrainedEncoder(nn.Module):
    """A pretrained model's vector for each word: that of the word's last token.

    dropout: None leaves the model's own. frozen: whether its weights stay as they are. tokens: of a
    text at most, if fewer than the model reads.
    """

    def __init__(
        self,
        name: str | Path,
        dropout: float | None = None,
        frozen: bool = False,
        tokens: int | None = None,
    ):
        super().__init__()
        try:
            from transformers import AutoModel, AutoTokenizer
        except ImportError:
            raise InputError(
                f"{name} needs transformers: pip install 'a3t[punctuation]'."
            ) from None
        try:
            # BART's tokens begin with the space before them.
            self.tokenizer = AutoTokenizer.from_pretrained(str(name), add_prefix_space=True)
            self.model = AutoModel.from_pretrained(str(name), use_safetensors=True)
        except (OSError, ValueError, KeyError) as error:  # its HTTP errors are OSErrors
            first = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise InputError(f"The model {name} can't be loaded: {first}") from None
        config = self.model.config
        self.size = int(getattr(config, "d_model", 0) or config.hidden_size)
        self.most = int(getattr(config, "max_position_embeddings", 0) or 512)
        self.most = min(self.most, tokens or self.most)
        if dropout is not None:
            for part in self.model.modules():
                if isinstance(part, nn.Dropout):
                    part.p = dropout
        if frozen:
            self.model.requires_grad_(False)

    def forward(
        self, texts: Sequence[Sequence[str]], pauses: Tensor | None = None
    ) -> tuple[Tensor, Tensor | None]:
        """Encode B texts of up to T words: (B, T, d), padding (B, T) or None.

        Words beyond the model's longest text have the vector of the last that it can read.
        """
        tokens = self.tokenizer(
            [[*text] for text in texts],
            is_split_into_words=True,
            padding=True,
            truncation=True,
            max_length=self.most,
            return_tensors="pt",
        )
        device = next(self.model.parameters()).device
        inputs = {key: tokens[key].to(device) for key in ("input_ids", "attention_mask")}
        hidden: Tensor = self.model(**inputs).last_hidden_state  # (B, tokens, d)
        T = max(map(len, texts))
        places = torch.zeros(len(texts), T, dtype=torch.long)
        padding = torch.ones(len(texts), T, dtype=torch.bool)
        for row, text in enumerate(texts):
            last = 0
            ends = dict[int, int]()  # word -> its last token
            for place, word in enumerate(tokens.word_ids(row)):
                if word is not None:
                    ends[word] = place
            for word in range(len(text)):
                last = places[row, word] = ends.get(word, last)
            padding[row, : len(text)] = False
        places = places.to(device)
        found = hidden.gather(1, places[..., None].expand(-1, -1, hidden.shape[-1]))
        return found, padding.to(device) if padding.any() else None


class TwoStreams(PunctuationNetwork):
    """FFA over pretrained encoders: one for both streams, or one for each.

    names: of one or two models; ``arguments`` are those of `PretrainedEncoder`.
    """

    def __init__(self, names: str | Sequence[str], config: FFAConfig, **arguments: Any) -> None:
        encoders = [
            PretrainedEncoder(name, **arguments)
            for name in ([names] if isinstance(names, str) else names)
        ]
        if len({encoder.size for encoder in encoders}) != 1:
            raise ValueError("the two streams' encoders differ in size")
        super().__init__(encoders[0], FFA(encoders[0].size, config))
        self.for_msa = encoders[1] if len(encoders) > 1 else None

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> TwoStreams:
        """Make the network of a configuration whose encoder is ``pretrained``."""
        arguments = dict(config["encoder"])
        names = arguments.pop("pretrained")
        return cls(names, FFAConfig(**config.get("ffa", {})), **arguments)

    def forward(
        self, texts: Sequence[Sequence[str]], pauses: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Score tags (B, T, 4) and cases (B, T, 3) of B texts, pauses (B, T)."""
        embedded, padding = self.encoder(texts, pauses)
        masked = None if self.for_msa is None else self.for_msa(texts, pauses)[0]
        scores: tuple[Tensor, Tensor] = self.ffa(embedded, padding, for_msa=masked)
        return scores
