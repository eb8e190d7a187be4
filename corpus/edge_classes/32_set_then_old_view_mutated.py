# touchstone: 1
# torch: 2.13.0
# note: set_ of an input, then a view of its old data is mutated
# note: refused on purpose: writing to the old storage of an input that was set_ to another
# expect: torch:aot_eager BackendRejected/compile
# expect: torch:aot_eager_decomp_partition BackendRejected/compile
# expect: torch:aot_function BackendRejected/compile
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    old = x.view(-1)
    torch.ops.aten.set_.source_Tensor(x, x.mul(2))
    old.add_(1)
    return x.mul(3), old.clone()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
