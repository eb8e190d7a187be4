# touchstone: 1
# torch: 2.13.0
# note: gradients asked for inside the Program, after a call whose arguments depend on each other: the first code holds again
# expect: torch:aot_function Unsupported
import torch


def inputs(seed, kind):
    b1 = data((1,), torch.float32, (seed, 1), kind).requires_grad_()
    b2 = torch.ones((1,)).requires_grad_()
    return (b1, b2), ()


def program(x1, x2):
    torch.autograd.grad(x1, [x1])
    with torch.no_grad():
        y = x1 + x2
    return


def inputs_changed(seed, kind):
    b1 = data((1,), torch.float32, (seed, 1), kind).requires_grad_()
    x2 = b1[0:]
    return (b1, x2), ()


CALLS = [
    dict(inputs="inputs", tangent_layout="contiguous"),
    dict(inputs="inputs_changed"),
    dict(inputs="inputs", seed=2, tangent_layout="contiguous"),
]
