# touchstone: 1
# torch: 2.13.0
# note: a hook between two modules, called in inference mode, where copies of the arguments require no grad.
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile BackendRejected/forward
# expect: ts_compile BackendRejected/forward
import torch


def inputs(seed, kind):
    b0 = data((1, 1), torch.complex128, (seed, 1), kind).requires_grad_()
    return (b0,), ()


def negate_gradient(g):
    return g


def program(x2):
    y1 = x2.unfold(1, 1, 1)
    y1.register_hook(negate_gradient)
    return


CALLS = [
    dict(inputs="inputs", grad_mode="inference"),
    dict(inputs="inputs", seed=1, grad_mode="inference"),
    dict(inputs="inputs", seed=2, grad_mode="inference"),
]
