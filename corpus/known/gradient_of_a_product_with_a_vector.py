# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: its own formula for the gradient of matmul fails for a product of a batch of matrices with a vector without elements.
# note: in plain Python: script `return x[None] @ torch.linalg.vector_norm(x, 1., [-2])`, `f(x).sum().backward()` from the second run on with x of sizes 1, 0.
# expect: ts BackendRejected/backward
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w3 = data((1, 0), torch.float32, (seed, 1), kind).requires_grad_()
    return (w3,), ()


def helper_0(x3):
    y1 = x3[None]
    return x3, y1


def program(x3):
    y0, y1 = helper_0(x3)
    y4 = torch.linalg.vector_norm(y0, 1, -2)
    y11 = y1 @ y4
    return (y11,)


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
