"""Flags of PyTorch's configs that a Case sets: they hold around each compile and each run of its Program, and at no other time."""

import contextlib

import torch._dynamo
import torch._functorch.config
import torch._inductor.config

from .errors import Refused

_CONFIGS = {
    "functorch": torch._functorch.config,
    "inductor": torch._inductor.config,
    "dynamo": torch._dynamo.config,
}


class Flags:
    """`values` by names like `functorch.cse`; raises where this PyTorch has no such flag."""

    def __init__(self, values):
        changes = {}
        for name, value in values.items():
            prefix, _, flag = name.partition(".")
            config = _CONFIGS[prefix]
            if not hasattr(config, flag):
                raise Refused(f"This PyTorch has no flag `{config.__name__}.{flag}`.")
            changes.setdefault(config, {})[flag] = value
        self._changes = changes

    def __bool__(self):
        return bool(self._changes)

    def on(self):
        """An open scope with `close()`, which is a context manager, too."""
        with contextlib.ExitStack() as scope:
            for config, changes in self._changes.items():
                scope.enter_context(config.patch(changes))
            return scope.pop_all()
