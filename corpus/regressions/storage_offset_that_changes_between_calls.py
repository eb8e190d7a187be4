# touchstone: 1
# torch: 2.13.0
# note: the program reads a storage offset, and whether its argument is a leaf; a later call has others
# note: a defect: Dynamo takes whether an argument is a leaf for a constant, and has no guard on it
# expect: torch:eager Differs/values
# expect: torch:aot_eager Differs/values
# expect: torch:aot_eager_decomp_partition Differs/values
# expect: torch:inductor Differs/values
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def inputs_2(seed, kind):
    base = data((12,), torch.float32, (seed, 0), kind)
    x = torch.as_strided(base, (2, 3), (3, 1), 2).detach().requires_grad_()
    return (x,), (base,)


def inputs_3(seed, kind):
    leaf = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (leaf * 1,), (leaf,)


def program(x):
    y = x + x.storage_offset()
    if x.is_leaf:
        y = y * 2
    return y


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=11),
    dict(inputs="inputs_2", seed=2, backward=[0], tangent_seed=12),
    dict(inputs="inputs_3", seed=3, backward=[0], tangent_seed=13),
    dict(inputs="inputs", seed=4, backward=[0], tangent_seed=14),
]
