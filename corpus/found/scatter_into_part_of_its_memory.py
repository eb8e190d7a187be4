# touchstone: 1
# torch: 2.13.0
# note: a scatter copies all memory that its operand lies in, and the copy is written to
import torch


def inputs(seed, kind):
    x = data((2,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    part = x[:1]
    part += 1
    placed = torch.select_scatter(part, part.select(0, 0), 0, 0)
    placed[:] = placed * 2
    return placed


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
]
