# touchstone: 1
# torch: 2.13.0
# note: is_leaf in the target of an assignment, in a function that the Program calls
# expect: torch:eager Differs/non_tensor
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager Differs/non_tensor
# expect: torch:aot_eager_decomp_partition Differs/non_tensor
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 3), torch.float32, (seed, 1), kind)
    return (x, y), ()


def inputs2(seed, kind):
    w = data((3, 3), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 3), torch.float32, (seed, 1), kind)
    return (w * 1, y), (w,)


def helper(x, t):
    t[0 if x.is_leaf else 1] = 5
    return t


def program(x, y):
    return helper(x, [0, 0]), x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs2", seed=2),
    dict(inputs="inputs", seed=6),
    dict(inputs="inputs2", seed=7),
]
