# touchstone: 1
# torch: 2.13.0
# note: a tensor of literals made in a region of inference mode, returned
# expect: torch:aot_function Differs/leaf
# expect: torch:aot_eager Differs/leaf
# expect: torch:aot_eager_decomp_partition Differs/leaf
# expect: simple_ts_compile Differs/leaf
# expect: ts_compile Differs/leaf
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    y = data((3, 3), torch.float32, (seed, 1), kind)
    return (x, y), ()


def inputs2(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    return (x, x), ()


def program(x, y):
    with torch.inference_mode():
        c = torch.tensor([1.0, 2.0, 3.0])
        d = x + c
    return c, d


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs2", seed=2),
]
