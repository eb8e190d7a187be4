# touchstone: 1
# torch: 2.13.0
# note: what Inductor looks for as sfdp_pattern_15, in torch.float32. What differs is a defect of Inductor's (docs/findings.md, 14.3)
# fires: fuse_attention/sfdp_pattern_15_inference
# expect: torch:inductor Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    query = data((2, 4, 8, 16), torch.float32, (seed, 0), kind).detach().requires_grad_()
    key = data((2, 4, 8, 16), torch.float32, (seed, 1), kind).detach().requires_grad_()
    value = data((2, 4, 8, 16), torch.float32, (seed, 2), kind).detach().requires_grad_()
    attn_mask = data((2, 4), torch.float32, (seed, 3), kind)
    return (query, key, value, attn_mask), ()


def program(query, key, value, attn_mask):
    y0 = query.permute([0, 2, 1, 3])
    y1 = key.permute([0, 2, 1, 3])
    y2 = value.permute([0, 2, 1, 3])
    y3 = y1.transpose(-2, -1)
    y4 = y0.matmul(y3)
    y5 = y4.div(2.0)
    y6 = torch.full((), float("-inf"), dtype=torch.float32)
    y7 = attn_mask == 0
    y8 = y7.view((2, 1, 1, 4))
    y9 = y8.expand_as(y5)
    y10 = y5.masked_fill(y9, y6)
    y11 = torch.softmax(y10, dim=-1)
    y12 = y11.matmul(y2)
    return y12


CALLS = [
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
