# touchstone: 1
# torch: 2.13.0
# note: what Inductor looks for as sfdp_pattern_5, in torch.float32
# fires: fuse_attention/sfdp_pattern_5_inference
# fires: fuse_attention/sfdp_pattern_5_training
import torch


def inputs(seed, kind):
    query = data((2, 4, 8, 16), torch.float32, (seed, 0), kind).detach().requires_grad_()
    key = data((2, 4, 8, 16), torch.float32, (seed, 1), kind).detach().requires_grad_()
    value = data((2, 4, 8, 16), torch.float32, (seed, 2), kind).detach().requires_grad_()
    attn_mask = data((1, 1, 8, 8), torch.float32, (seed, 3), kind)
    return (query, key, value, attn_mask), ()


def program(query, key, value, attn_mask):
    y0 = key.transpose(-2, -1)
    y1 = query.matmul(y0)
    y2 = y1.div(2.0)
    y3 = y2.add(attn_mask)
    y4 = torch.softmax(y3, dim=-1)
    y5 = y4.matmul(value)
    return y5


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
