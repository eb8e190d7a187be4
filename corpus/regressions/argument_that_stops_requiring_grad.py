# touchstone: 1
# torch: 2.13.0
# note: an argument whose hooks a guard asks about has no autograd metadata in a later call
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b0 = data((2, 2), torch.float64, (seed, 1), kind)
    b2 = data((2, 1, 2), torch.float32, (seed, 1), kind).requires_grad_()
    x0 = b0.permute((1, 0)).requires_grad_()
    return (x0, b2), ()


def program(x0, x3):
    torch.autograd.grad(x0.sum(), [x0], retain_graph=True)
    return (x3,)


def inputs_changed(seed, kind):
    b0 = data((2, 2), torch.float64, (seed, 1), kind)
    b2 = data((2, 1, 2), torch.float32, (seed, 1), kind)
    x0 = b0.permute((1, 0)).requires_grad_()
    return (x0, b2), ()


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs_changed"),
    dict(inputs="inputs_changed", seed=1),
]
