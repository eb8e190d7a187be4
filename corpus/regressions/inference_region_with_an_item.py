# touchstone: 1
# torch: 2.13.0
# note: a tensor is read as a number in a region of inference mode
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager Differs/leaf
# expect: torch:aot_eager_decomp_partition Differs/leaf
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
        n = (x.sum() * 0).item()
        b = x + n
    return b


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs2", seed=2),
    dict(inputs="inputs", seed=6),
    dict(inputs="inputs2", seed=7),
]
