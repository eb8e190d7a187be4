# touchstone: 1
# torch: 2.13.0
# note: set_ of an input to a view of a view of a fresh tensor, which is then mutated
# note: refused with an assertion by AOTAutograd: set_ and another mutation of the same input. On purpose, but no clear error
# expect: torch:aot_eager InternalError/compile
# expect: torch:aot_eager_decomp_partition InternalError/compile
# expect: torch:aot_function InternalError/compile
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = torch.cat((x, x), 0)
    torch.ops.aten.set_.source_Tensor(x, y[1:4].t())
    y.mul_(2)
    return x.add(1)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
