"""Is the compiled program still the program? Compilers of `torch.compile` beside eager PyTorch.

`judge` compares one program's calls, `property` a program over random arguments, `fuzz` runs a campaign over random programs,
and `pytest -p touchstone.pytest_plugin --touchstone` judges the compiled calls of an existing test suite.
"""

from touchstone.command import Campaign, CommandError, find_command, fuzz
from touchstone.copies import CannotCopy
from touchstone.judging import judge
from touchstone.properties import property
from touchstone.strategies import Strategy, integers, one_of, tensors
from touchstone.verdict import Difference, Verdict

__all__ = ["Campaign", "CannotCopy", "CommandError", "Difference", "Strategy", "Verdict", "find_command", "fuzz", "integers", "judge",
           "one_of", "property", "tensors"]
