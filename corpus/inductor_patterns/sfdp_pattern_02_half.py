# touchstone: 1
# torch: 2.13.0
# note: what Inductor looks for as sfdp_pattern_2_half, in torch.float16. Whether its rounding is allowed is unclear (docs/findings.md, 14.11)
# fires: fuse_attention/sfdp_pattern_2_half_inference
# fires: fuse_attention/sfdp_pattern_2_half_training
# expect: torch:inductor Differs/gradient_values/call 1 leaf 0
import torch


def inputs(seed, kind):
    query = data((2, 4, 8, 16), torch.float16, (seed, 0), kind).detach().requires_grad_()
    key = data((2, 4, 8, 16), torch.float16, (seed, 1), kind).detach().requires_grad_()
    value = data((2, 4, 8, 16), torch.float16, (seed, 2), kind).detach().requires_grad_()
    return (query, key, value), ()


def program(query, key, value):
    y0 = key.transpose(-2, -1)
    y1 = torch.matmul(query, y0)
    y2 = y1.mul(2.0)
    y3 = y2.softmax(dim=-1)
    y4 = y3.matmul(value)
    return y4


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
