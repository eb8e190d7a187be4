# touchstone: 1
# torch: 2.13.0
# note: a hook that reads a value breaks the graph; the forward and the rest of the hook are compiled
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:aot_function Unsupported
import torch


def scale_by_the_largest(module, args, result):
    if result.max() > 1:
        return result * 2
    return result.sin()


def inputs(seed, kind):
    m = torch.nn.Linear(3, 3)
    m.register_forward_hook(scale_by_the_largest)
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x, m), ()


def program(x, m):
    y = m(x * 2)
    return y.cos(), y


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0, 1], tangent_seed=4),
]
