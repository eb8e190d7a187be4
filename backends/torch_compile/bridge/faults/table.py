"""The faults by name, and where each of them is planted."""

import dataclasses
import importlib
from collections.abc import Callable

# What a fault's function is given, and the stage that its row names.
STAGES = {
    "dynamo": "dynamo",  # (graph) that Dynamo captured, to edit
    "joint": "joint",  # (graph) of forward and backward before it is cut, to edit
    "partition": "partition",  # (forward graph, backward graph) as they were cut, to edit
    "forward": "forward",  # (graph) of the forward, or of a call without gradients, to edit
    "backward": "backward",  # (graph), to edit
    "graphs": "forward",  # (graph) of the forward, and then that of the backward, to edit
    "forward_call": "forward",  # (call) of the forward graph, from a list of arguments to results: another such call
    "backward_call": "backward",  # the same of the backward graph
    "runtime": "runtime",  # (call) of what a captured graph became, with its arguments: another such call
    "entry": "runtime",  # (call) of the compiled Program: another such call
    "guards": "guards",  # (): a `front_cache.Cache`
}

# Class of the faults of each module.
MODULES = {
    "capture": "capture",
    "capture_calls": "capture",
    "merging": "rewriting",
    "arithmetic": "rewriting",
    "algebra": "rewriting",
    "shapes": "rewriting",
    "views": "views",
    "layouts": "views",
    "joint": "joint",
    "gradients": "joint",
    "partition": "partition",
    "saved_values": "saved_values",
    "runtime": "runtime",
    "returned": "runtime",
    "guards": "guards",
    "symbols": "symbols",
    "numerics": "numerics",
    "memory": "memory",
    "errors": "errors",
    "controls": "rewriting",
}


@dataclasses.dataclass(frozen=True)
class Fault:
    name: str
    fault_class: str
    at: str  # a key of STAGES
    what: str
    when: str
    is_control: bool
    plant: Callable

    @property
    def stage(self):
        return STAGES[self.at]


_FAULTS = {}


def fault(at, control=False):
    """Lists the function below under its name. Its docstring: `What goes wrong. When: when it bites.`"""

    def listed(plant):
        what, _, when = " ".join(plant.__doc__.split()).partition(" When: ")
        module = plant.__module__.rpartition(".")[2]
        name = plant.__name__.rstrip("_")
        assert name not in _FAULTS and at in STAGES and when, name
        _FAULTS[name] = Fault(name, MODULES[module], at, what.rstrip("."), when.rstrip("."), control, plant)
        return plant

    return listed


def all_faults():
    for module in MODULES:
        importlib.import_module(f"{__package__}.{module}")
    return _FAULTS
