# touchstone: 1
# expect: torch:fault:number_widens_the_tensor Differs/dtype/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((8,), torch.float16, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x * 1.5


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
