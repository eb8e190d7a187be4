# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: its own formula for the gradient of linear takes the weight for a matrix; with a vector the backward raises.
# note: in plain Python: script `return torch.nn.functional.linear(x, x[0]).relu()`, `f(x).sum().backward()` from the second run on with x of sizes 1, 1.
# expect: ts BackendRejected/backward
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w1 = data((1, 1), torch.float32, (seed, 1), kind).requires_grad_()
    return (w1,), ()


def program(x1):
    y3 = torch.nn.functional.linear(x1, x1[0])
    y6 = y3.relu()
    return (y6,)


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
