# touchstone: 1
# torch: 2.13.0
# note: a float that changes is a symbol, and the expression of it knows one zero alone: where it is -0.0, 0.0 is filled in. With dynamic=False it agrees.
# expect: torch:aot_eager_default_partitioner Differs/values/call 3 output 1
# expect: torch:aot_eager Differs/values/call 3 output 1
# expect: torch:aot_eager_decomp_partition Differs/values/call 3 output 1
# expect: torch:inductor Differs/values/call 3 output 1
import torch


def inputs(seed, kind):
    x = data((3,), torch.float64, (seed, 0), kind)
    return (x, 0.5), ()


def inputs_2(seed, kind):
    x = data((3,), torch.float64, (seed, 0), kind)
    return (x, 1.5), ()


def inputs_3(seed, kind):
    x = data((3,), torch.float64, (seed, 0), kind)
    return (x, -0.0), ()


def program(x, y):
    return x + 1, 1 / torch.full((3,), y, dtype=torch.float64)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_2", seed=2),
    dict(inputs="inputs_2", seed=3),
    dict(inputs="inputs_3", seed=4),
    dict(inputs="inputs_3", seed=5),
]
COMPILE = dict(dynamic=None)
