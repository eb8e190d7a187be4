# touchstone: 1
# torch: 2.13.0
# note: an argument is written to in place and a view of it returned; what was compiled with sizes as symbols for an argument at offset 0 gives one at offset 1 a view from offset 0 on. With dynamic=False it agrees.
# expect: torch:aot_eager_default_partitioner Differs/values/call 1 output 0
# expect: torch:aot_eager Differs/values/call 1 output 0
# expect: torch:aot_eager_decomp_partition Differs/values/call 1 output 0
# expect: torch:inductor Differs/values/call 1 output 0
import torch


def inputs(seed, kind):
    x = data((2,), torch.float32, (seed, 0), kind)
    return (x,), ()


def inputs_at_an_offset(seed, kind):
    base = data((3,), torch.float32, (seed, 0), kind)
    return (base[1:],), (base,)


def program(x):
    x.add_(1)
    return x.view_as(x)


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs_at_an_offset"),
    dict(inputs="inputs_at_an_offset", seed=1),
]
COMPILE = dict(dynamic=True)
