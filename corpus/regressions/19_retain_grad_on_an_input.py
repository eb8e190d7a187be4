# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#146212: retain_grad on an input that is no leaf
# note: Vacuous: Dynamo compiles nothing that is used again here
# expect: torch:eager Vacuous
# expect: torch:aot_eager Vacuous
# expect: torch:aot_eager_decomp_partition Vacuous
# expect: torch:aot_function Unsupported
# expect: torch:inductor Vacuous
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    leaf = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    x = leaf.mul(1)
    return (x,), (leaf,)


def program(x):
    x.retain_grad()
    return x.mul(2)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
