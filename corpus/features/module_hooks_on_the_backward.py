# touchstone: 1
# torch: 2.13.0
# note: hooks on the backward of a module replace the gradients of its result and of its argument
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:aot_function Unsupported
import torch


def negate(module, grad_output):
    return (-grad_output[0],)


def add_up(module, grad_input, grad_output):
    return (grad_input[0] + grad_output[0],)


def inputs(seed, kind):
    m = torch.nn.Linear(3, 3)
    m.register_full_backward_pre_hook(negate)
    m.register_full_backward_hook(add_up)
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x, m), ()


def program(x, m):
    y = m(x.sin())
    return y.cos()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
