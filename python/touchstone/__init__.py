"""Is the compiled program still the program? Compilers of `torch.compile` beside eager PyTorch.

`judge` compares one program's calls, `property` a program over random arguments, `fuzz` runs a campaign over random programs,
and `pytest --touchstone` judges the compiled calls of an existing test suite.
"""

import importlib

# Each name's module is imported when it is first asked for: the command and a pytest run that judges nothing do without PyTorch.
_MODULES = {
    "Campaign": "command", "CommandError": "command", "find_command": "command", "fuzz": "command",
    "CannotCopy": "copies",
    "judge": "judging",
    "property": "properties",
    "Strategy": "strategies", "integers": "strategies", "one_of": "strategies", "tensors": "strategies",
    "Difference": "verdict", "Verdict": "verdict",
}
__all__ = sorted(_MODULES)


def __getattr__(name):
    if name not in _MODULES:
        raise AttributeError(f"module 'touchstone' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"touchstone.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_MODULES})
