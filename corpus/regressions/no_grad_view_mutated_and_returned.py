# touchstone: 1
# torch: 2.13.0
# note: a view made under no_grad is mutated and returned: its grad_fn cannot be read; a native pipeline of ours was wrong here
# expect: torch:aot_function Limit/A9
# expect: torch:aot_eager Limit/A9
# expect: torch:aot_eager_decomp_partition Limit/A9
# expect: torch:inductor Limit/A9
import torch


def inputs(seed, kind):
    w2 = data((1,), torch.float32, (seed, 1), kind).requires_grad_()
    return (w2,), ()


def program(x3):
    with torch.no_grad():
        y0 = x3.unsqueeze(0).mul_(1)
    return (y0,)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
