"""A repair of Bokeh 3.9: to write a message, only the models in it are looked up.

Before it writes a change, Bokeh makes a set and a table of all models that the browser knows, a thousand of them: a third of a
millisecond for every message. A model knows its name, so that the document can be asked when the question comes up.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator, Set
from typing import Any

from bokeh.core.serialization import Ref, Serializer
from bokeh.document.models import DocumentModelManager
from bokeh.model import Model
from bokeh.protocol.messages.patch_doc import patch_doc


class Known(Set[Model]):
    """The models of a document that the browser has been told of."""

    def __init__(self, models: DocumentModelManager) -> None:
        self._models = models

    def __contains__(self, model: object) -> bool:
        models = self._models
        return isinstance(model, Model) and models.get_by_id(model.id) is model and model not in models._new_models

    def __iter__(self) -> Iterator[Model]:
        return (model for model in self._models if model not in self._models._new_models)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Asking(Serializer):
    """A serializer that asks whether the browser knows a model instead of listing all that it knows."""

    def __init__(self, *, references: Set[Model], **options: Any) -> None:
        super().__init__(**options)
        self._known = references

    def get_ref(self, obj: Any) -> Ref | None:
        """The name of what is known; None for what has to be written out."""
        return obj.ref if obj in self._known else super().get_ref(obj)

    def has_ref(self, obj: Any) -> bool:
        """Whether it is known."""
        return self.get_ref(obj) is not None


@functools.cache
def ask_for_known_models() -> None:
    """From now on, no table of all models is made for a message. Once per process."""
    setattr(DocumentModelManager, "synced_references", property(Known))  # noqa: B010 (mypy: a method is not to be assigned)
    setattr(sys.modules[patch_doc.__module__], "Serializer", Asking)  # noqa: B010 (the module has the name of its class)
