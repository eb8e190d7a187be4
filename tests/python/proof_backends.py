"""Backends that execute what they are handed, or do not: `torch:proof_backends:NAME`. What one executes itself it hides from PyTorch's
dispatch modes, as a compiler's own kernels are hidden."""

import torch
from torch._dynamo.backends.common import aot_autograd

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


def caches_results(module, _):
    """Each graph is executed once; later calls get what the first one gave."""
    results = []

    def run(*arguments):
        if not results:
            results.append(_itself(module)(*arguments))
        return results[0]

    return run


def reuses_memory(module, _):
    """Results of one graph lie in the same memory each time."""
    kept = []

    def run(*arguments):
        results = _itself(module)(*arguments)
        if not kept:
            kept.extend(results)
            return results
        for old, new in zip(kept, results):
            if isinstance(old, torch.Tensor) and old.shape == new.shape and old.dtype == new.dtype:
                with torch.no_grad():
                    old.detach().copy_(new)
        return tuple(kept)

    return run


aot_falls_back = aot_autograd(fw_compiler=lambda module, _: module)
aot_executes = aot_autograd(fw_compiler=lambda module, _: _itself(module))
