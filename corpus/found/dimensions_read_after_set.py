# touchstone: 1
# torch: 2.13.0
# note: a value is given the memory and sizes of another one by set_, and its dimensions are read. A bug, silent: tracing answers with those from before set_, whether Dynamo traces or AOT autograd by itself.
# expect: torch:aot_function Differs/non_tensor
# expect: torch:eager Differs/non_tensor
# expect: torch:aot_eager Differs/non_tensor
# expect: torch:aot_eager_decomp_partition Differs/non_tensor
import torch


def inputs(seed, kind):
    x = data((3, 5, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x + 0
    torch.ops.aten.set_(y, x[0])
    return y.dim(), y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
