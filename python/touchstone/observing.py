"""One call of a program, and what can be seen of it afterwards."""

import dataclasses

import torch

from touchstone.places import tensors_in
from touchstone.process_state import ProcessState


@dataclasses.dataclass
class Observed:
    """What one call left behind. `inputs` and `outputs` are live: compare before the next call."""

    inputs: list  # (where, tensor) of the program's and the arguments' tensors, each once
    inputs_tree: object  # program's state and arguments, for what is no tensor
    versions: list  # of `inputs`: by how much the version counter grew
    outputs: object = None
    error: Exception = None
    state: ProcessState = None
    drew: bool = False
    gradients: dict = dataclasses.field(default_factory=dict)  # where: .grad of each leaf; of an input with a history, its source's
    backward_error: Exception = None
    kept: dict = dataclasses.field(default_factory=dict)  # results' values by place, as they were after the call

    def keep_results(self):
        """Keeps the values of the results, to be looked at again after later calls."""
        dense = {where: each for where, each in tensors_in({"output": self.outputs}).items() if each.layout == torch.strided}
        self.kept = {where: each.detach().clone() for where, each in dense.items()}


class Program:
    """A callable and the tensors that it and its arguments can reach."""

    def __init__(self, function, run=None):
        self.function = function
        self.run = function if run is None else run

    def call(self, arguments, keywords):
        """Observes one call; what it raises is kept in `error`."""
        trees = {"self": self.function, "argument": arguments, "keyword": keywords}
        inputs = list(tensors_in(trees).items())
        before = [tensor._version for _, tensor in inputs]
        observed = Observed(inputs, trees, [])
        start = ProcessState()
        try:
            observed.outputs = self.run(*arguments, **keywords)
        except Exception as error:
            observed.error = error
        observed.state = ProcessState()
        observed.drew = start.drew(observed.state)
        observed.versions = [tensor._version - version for version, (_, tensor) in zip(before, inputs)]
        return observed


def run_backward(observed, source, seed):
    """Runs a backward of the call's differentiable outputs, with tangents drawn from `seed` by the output's place alone.

    source: gives the leaf that collects an input's gradient, or None. What the backward raises is kept in `backward_error`.
    """
    roots = differentiable(observed.outputs)
    if roots:
        try:
            torch.autograd.backward(list(roots.values()), tangents(roots, seed))
        except Exception as error:
            observed.backward_error = error
    for where, tensor in observed.inputs:
        leaf = source(tensor)
        if leaf is not None and leaf.requires_grad:
            observed.gradients[where] = leaf.grad


def differentiable(outputs):
    """The tensors among some outputs that a backward can start from, by their place."""
    return {where: each for where, each in tensors_in({"output": outputs}).items() if each.requires_grad}


def tangents(roots, seed):
    """A random tangent for each of some tensors: equal for equal shapes, whatever the dtype."""
    drawn = []
    for number, root in enumerate(roots.values()):
        generator = torch.Generator().manual_seed(seed * 1000 + number)
        dtype = torch.complex128 if root.is_complex() else torch.float64
        drawn.append(torch.randn(root.shape, generator=generator, dtype=dtype).bfloat16().to(root) if not root.is_complex()
                     else torch.randn(root.shape, generator=generator, dtype=dtype).to(root))
    return drawn
