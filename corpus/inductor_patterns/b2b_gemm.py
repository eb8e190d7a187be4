# touchstone: 1
# torch: 2.13.0
# note: two products, one behind the other
import torch


def inputs(seed, kind):
    a = data((64, 32), torch.float32, (seed, 0), kind)
    b = data((32, 48), torch.float32, (seed, 1), kind)
    c = data((48, 32), torch.float32, (seed, 2), kind)
    return (a, b, c), ()


def program(a, b, c):
    return torch.nn.functional.relu(a @ b) @ c, a @ (b @ c)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
COMPILE = dict(options={"b2b_gemm_pass": True})
