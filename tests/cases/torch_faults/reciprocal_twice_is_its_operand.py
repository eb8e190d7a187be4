# touchstone: 1
# expect: torch:fault:reciprocal_twice_is_its_operand Differs/partition/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((8,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.reciprocal().reciprocal().view(torch.int32)


CALLS = [
    dict(inputs="inputs", seed=1, kind="uniform"),
    dict(inputs="inputs", seed=2, kind="uniform"),
]
