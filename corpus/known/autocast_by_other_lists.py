# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: under autocast TorchScript casts by lists of its own, which name other operators than eager's: addr and mv are cast, cosine_similarity is not cast back, casts of float16 are refused.
# note: in plain Python: script `return torch.addr(x, x, x)`: under `torch.autocast('cpu', dtype=torch.bfloat16)` `f(torch.ones(1)).dtype` is bfloat16, eager's float32.
# expect: ts Differs/dtype/call 0 output 0
import torch


def inputs(seed, kind):
    w1 = data((1, 1), torch.float32, (seed, 1), kind)
    x2 = w1.view(1)
    return (x2,), ()


def program(x2):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y10 = torch.addr(x2, x2, x2)
    return y10


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
