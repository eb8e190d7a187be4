# touchstone: 1
# torch: 2.13.0
# note: a piece of chunk and the same piece detached: the second is made from the first by the steps that lead to it, and asks the piece for a second piece that is not there: torch.compile ends by a segmentation fault
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:aot_function Crashed
# expect: torch:aot_eager_default_partitioner Crashed
# expect: torch:aot_eager Crashed
# expect: torch:aot_eager_decomp_partition Crashed
# expect: torch:inductor Crashed
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    y, z = (x * 2).chunk(2)
    return z, z.detach()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
