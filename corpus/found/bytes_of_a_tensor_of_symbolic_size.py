# touchstone: 1
# torch: 2.13.0
# note: `nbytes` of a tensor whose size is a symbol is refused with an error of making fake tensors. With dynamic=False it agrees.
# expect: torch:eager BackendRejected/compile
# expect: torch:aot_eager_default_partitioner BackendRejected/compile
# expect: torch:aot_eager BackendRejected/compile
# expect: torch:aot_eager_decomp_partition BackendRejected/compile
# expect: torch:inductor BackendRejected/compile
import torch


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x + 1, x.nbytes


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
COMPILE = dict(dynamic=True)
