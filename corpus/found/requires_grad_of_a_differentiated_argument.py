# touchstone: 1
# torch: 2.13.0
# note: what torch.func.grad and vjp give to their function requires grad; under Dynamo it says that it does not, and the function takes the other way, silently
# expect: torch:eager Differs/values/call 0 output 0
# expect: torch:aot_eager Differs/values/call 0 output 0
# expect: torch:aot_eager_decomp_partition Differs/values/call 0 output 0
# expect: torch:aot_function Unsupported
# expect: torch:inductor Differs/values/call 0 output 0
import torch


def loss(x):
    return (x * (2 if x.requires_grad else 3)).sum()


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.func.grad(loss)(x), x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
