"""Backends that execute what they are handed, or do not: `torch:proof_backends:NAME`. What one executes itself it hides from PyTorch's
dispatch modes, as a compiler's own kernels are hidden."""

import torch

executions = 0  # graphs that a backend here executed itself
_graphs = 0


def _itself(module):
    forward = module.forward

    def run(*arguments):
        global executions
        executions += 1
        with torch._C._DisableTorchDispatch():
            return forward(*arguments)

    return run


def executes(module, _):
    return _itself(module)


def falls_back(module, _):
    return module.forward


def falls_back_for_most(module, _):
    """Each third graph is its own."""
    global _graphs
    _graphs += 1
    return _itself(module) if _graphs % 3 == 0 else module.forward


def refuses_gradients(module, examples):
    if any(isinstance(each, torch.Tensor) and each.requires_grad for each in examples):
        raise NotImplementedError("gradients are not for this backend")
    return _itself(module)


def refuses_all(module, _):
    raise NotImplementedError("nothing is for this backend")


def ends_the_process(module, examples):
    import os

    if any(isinstance(each, torch.Tensor) and each.requires_grad for each in examples):
        os.abort()
    return _itself(module)
