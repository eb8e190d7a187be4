# touchstone: 1
# torch: 2.13.0
# note: a float that changes is a symbol; a tensor is multiplied by its remainder, for which the pass that makes tensors of such floats has no formula. With dynamic=False it agrees.
# expect: torch:aot_eager_default_partitioner InternalError/compile
# expect: torch:aot_eager InternalError/compile
# expect: torch:aot_eager_decomp_partition InternalError/compile
# expect: torch:inductor InternalError/compile
import torch


def inputs(seed, kind):
    x = data((3,), torch.float64, (seed, 0), kind)
    return (x, 0.5), ()


def inputs_2(seed, kind):
    x = data((3,), torch.float64, (seed, 0), kind)
    return (x, 1.5), ()


def inputs_3(seed, kind):
    x = data((3,), torch.float64, (seed, 0), kind)
    return (x, 2.5), ()


def program(x, y):
    return x * (y % 0.75)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_2", seed=2),
    dict(inputs="inputs_2", seed=3),
    dict(inputs="inputs_3", seed=4),
    dict(inputs="inputs_3", seed=5),
]
COMPILE = dict(dynamic=None)
