"""The options (`a3t.plan.options`) as fields of /v1's requests and of the page's settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import Parameter, Signature
from typing import Annotated, Any, Literal, TypeVar

from fastapi import Form
from pydantic import BaseModel, Field, create_model

from a3t.audio.matching.traits import MatchedTraits
from a3t.plan.options import HTTP, PAGE, Option, options_of, read_options

T = TypeVar("T")

ShownKind = Literal["number", "whole", "switch", "one", "some"]
# What the page calls the type of a value.
SHOWN_KINDS: dict[type, ShownKind] = {
    float: "number", int: "whole", bool: "switch", str: "one", MatchedTraits: "some"
}  # fmt: skip


@dataclass(frozen=True)
class ShownOption:
    """A row of the table of options as the page makes its field from it."""

    name: str
    kind: ShownKind
    default: object
    sentence: str
    least: float | None
    most: float | None
    unit: str
    choices: tuple[str, ...]
    advanced: bool


def form_of(record: type[T]) -> Callable[..., T]:
    """Return a dependency that takes a record's options from form fields, and checks them."""

    def options(**values: object) -> T:
        return read_options(record, HTTP, values)

    options.__signature__ = Signature(  # type: ignore[attr-defined]
        [
            Parameter(
                row.name,
                Parameter.KEYWORD_ONLY,
                default=_default(row),
                annotation=Annotated[_type(row), Form(description=_description(row))],
            )
            for row in options_of(record, HTTP)
        ]
    )
    return options


def body_with(record: type, base: type[BaseModel]) -> type[BaseModel]:
    """Return a model of a JSON body that has a record's options beside the fields of ``base``."""
    fields: dict[str, Any] = {
        row.name: (_type(row), Field(_default(row), description=_description(row)))
        for row in options_of(record, HTTP)
    }
    return create_model(base.__name__, __base__=base, __doc__=base.__doc__, **fields)


def shown_options(record: type) -> list[ShownOption]:
    """Return a record's options as the page makes its fields from them."""
    return [
        ShownOption(
            row.name,
            SHOWN_KINDS[row.kind],
            row.default.names if row.kind is MatchedTraits else row.default,
            row.sentence,
            row.least,
            row.most,
            row.unit,
            row.choices,
            row.advanced,
        )
        for row in options_of(record, PAGE)
    ]


def _type(row: Option) -> Any:
    kind = str if row.kind is MatchedTraits else row.kind
    return kind | None if row.default is None else kind


def _default(row: Option) -> Any:
    return ",".join(row.default.names) if row.kind is MatchedTraits else row.default


def _description(row: Option) -> str:
    return row.sentence + (f" ({row.range})" if row.range else "")
