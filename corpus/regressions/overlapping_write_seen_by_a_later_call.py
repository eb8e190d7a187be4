# touchstone: 1
# torch: 2.13.0
# note: a write that reads what it writes, in memory that a later call with the same objects transposes: open at the late look too
# expect: torch:aot_function Differs/strides
# expect: torch:aot_eager Differs/strides
# expect: torch:aot_eager_decomp_partition Differs/strides
# expect: torch:inductor Differs/strides
import torch


def program(x0):
    y3 = torch.t(x0)
    y4 = torch.diagonal(y3, 1)
    x0 += y4
    x0[0:2, :3] = 1
    x0.t_()
    return x0


def inputs_changed_3(seed, kind):
    b0 = data((8,), torch.float32, (seed, 1), kind)
    x0 = torch.as_strided(b0, (2, 3), (4, 1), 1)
    return (x0,), ()


CALLS = [
    dict(inputs="inputs_changed_3", seed=1),
    dict(inputs="inputs_changed_3", seed=2),
    dict(inputs=None),
]
