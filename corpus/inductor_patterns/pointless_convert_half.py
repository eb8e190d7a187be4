# touchstone: 1
# torch: 2.13.0
# note: float32 by way of float64 to half, and half by way of bfloat16 to half
# fires: joint_graph/pointless_convert
import torch


def inputs(seed, kind):
    x = data((4, 8), torch.float32, (seed, 0), kind)
    h = data((8,), torch.float16, (seed, 1), kind)
    return (x, h), ()


def program(x, h):
    return (x * 0.1).to(torch.float64).to(torch.float16), (h + 0.125).to(torch.bfloat16).to(torch.float16)


CALLS = [
    dict(inputs="inputs", seed=1, kind="uniform", grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, kind="uniform", grad_mode="no_grad"),
]
