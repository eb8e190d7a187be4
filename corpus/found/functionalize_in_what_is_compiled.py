# touchstone: 1
# torch: 2.13.0
# note: torch.func.functionalize inside of what is compiled: AssertionError of AOTAutograd, `x must not already be a functional tensor`
# expect: torch:eager_python Reference
# expect: torch:aot_eager InternalError/compile
# expect: torch:aot_eager_decomp_partition InternalError/compile
# expect: torch:aot_eager_default_partitioner InternalError/compile
# expect: torch:inductor InternalError/compile
import torch


def inputs(seed, kind):
    x0 = data((3,), torch.float32, (seed, 0), kind)
    return (x0,), ()


def block_0(t):
    return t * 2


def program(x0):
    return torch.func.functionalize(block_0)(x0)


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
]
