# touchstone: 1
# torch: 2.13.0
# note: a hook on an argument, and gradients that the program asks for itself: they go through the hook, that of the call before as well.
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b1 = data((2,), torch.float32, (seed, 1), kind).requires_grad_()
    return (b1,), ()


def negate_gradient(g):
    return -g


def program(x1):
    y1 = torch.autograd.grad(x1 * 3, [x1], grad_outputs=[x1.detach() * 2])
    x1.register_hook(negate_gradient)
    y2 = torch.autograd.grad(x1 * 5, [x1], grad_outputs=[x1.detach() * 2])
    return y1, y2


CALLS = [
    dict(inputs="inputs"),
    dict(inputs=None),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
    dict(inputs=None),
]
