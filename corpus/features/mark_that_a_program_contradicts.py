# touchstone: 1
# torch: 2.13.0
# note: PyTorch refuses a mark of a dimension that the Program makes a constant of.
# expect: torch:eager Unsupported
# expect: torch:aot_eager_default_partitioner Unsupported
# expect: torch:aot_eager Unsupported
# expect: torch:aot_eager_decomp_partition Unsupported
# expect: torch:inductor Unsupported
import torch


def inputs(seed, kind):
    x = data((5, 3), torch.float32, (seed, 0), kind)
    torch._dynamo.mark_dynamic(x, 0)
    return (x,), ()


def program(x):
    y = x * 2
    if x.size(0) == 5:
        y = y + 1
    return y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
