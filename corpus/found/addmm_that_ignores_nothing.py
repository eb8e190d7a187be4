# touchstone: 1
# torch: 2.13.0
# note: with beta=0 the first argument is not to count, not even NaN; Inductor's decomposition multiplies it by 0. A bug, silent (pytorch/pytorch#196596).
# expect: torch:aot_eager_decomp_partition Differs/values
import torch


def inputs(seed, kind):
    x = torch.full((4,), float("nan"))
    a = data((1, 4), torch.float32, (seed, 0), kind)
    b = data((4, 4), torch.float32, (seed, 1), kind)
    return (x, a, b), ()


def program(x, a, b):
    return torch.addmm(x, a, b, beta=0)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
