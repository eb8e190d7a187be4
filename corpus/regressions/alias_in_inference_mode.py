# touchstone: 1
# torch: 2.13.0
# note: a view of an argument, the whole call in inference mode: the view is no inference tensor; a native pipeline of ours was wrong here
# expect: torch:eager Vacuous
# expect: torch:aot_function Vacuous
# expect: torch:aot_eager Vacuous
# expect: torch:aot_eager_decomp_partition Vacuous
# expect: torch:inductor Vacuous
import torch


def inputs(seed, kind):
    w1 = data((1, 1), torch.float32, (seed, 1), kind)
    return (w1,), ()


def program(x1):
    y0 = x1[:]
    return


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="inference"),
    dict(inputs="inputs", seed=2, grad_mode="inference"),
]
