# touchstone: 1
# sequence: shared memory; shared memory
# note: how much memory it has is guarded, and its sizes are not
# torch: 2.13.0
# expect: ts_compile Unsupported
# expect: simple_ts_compile Unsupported
# expect: torch:eager Vacuous
# expect: torch:aot_eager Vacuous
# expect: torch:aot_eager_decomp_partition Vacuous
# expect: torch:inductor Vacuous
import torch


def inputs_2(seed, kind):
    b0 = data((), torch.float32, (seed, 0), kind)
    l4 = torch.ones((2,))
    return (b0, {"a": b0, "b": l4}), ()


def program(x, table):
    x.requires_grad_()
    return table


CALLS = [
    dict(inputs="inputs_2"),
    dict(inputs="inputs_2", seed=1),
]
COMPILE = dict(dynamic=True)
