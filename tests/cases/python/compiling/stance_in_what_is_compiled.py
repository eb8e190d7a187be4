# touchstone: 1
# torch: 2.13.0
# note: `set_stance` is not for what is compiled: Dynamo asserts.
# expect: torch:eager InternalError/compile
# expect: torch:aot_eager InternalError/compile
import torch


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    with torch.compiler.set_stance("force_eager"):
        z = x * y
    return z + y


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
