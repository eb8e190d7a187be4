# touchstone: 1
# torch: 2.13.0
# note: a hook that the Program registers, calls and removes
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:aot_function Unsupported
import torch


def shift(module, args, result):
    return result + args[0]


def inputs(seed, kind):
    m = torch.nn.Linear(3, 3)
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x, m), ()


def program(x, m):
    before = m(x)
    handle = m.register_forward_hook(shift)
    between = m(x)
    handle.remove()
    return before, between, m(x)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1, 2], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0, 1, 2], tangent_seed=4),
]
