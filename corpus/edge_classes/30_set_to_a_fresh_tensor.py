# touchstone: 1
# torch: 2.13.0
# note: set_ of an input to a fresh tensor
# note: refused with an assertion (set_ and another mutation of the same input) by two pipelines, while torch:aot_eager takes it: no clear error, and not the same answer
# expect: torch:aot_eager_decomp_partition InternalError/compile
# expect: torch:aot_function InternalError/compile
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x.mul(2)
    with torch.no_grad():
        torch.ops.aten.set_.source_Tensor(x, y)
    return x.add(1)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
