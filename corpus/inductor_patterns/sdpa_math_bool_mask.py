# touchstone: 1
# torch: 2.13.0
# note: the same with a mask of booleans, rows without any True among them
# fires: fuse_attention/sfdp_pattern_29_inference
import torch


def inputs(seed, kind):
    q = data((2, 8, 4, 16), torch.float32, (seed, 0), kind)
    k = data((2, 8, 4, 16), torch.float32, (seed, 1), kind)
    v = data((2, 8, 4, 12), torch.float32, (seed, 2), kind)
    a = data((1, 1, 8, 8), torch.bool, (seed, 3), kind)
    return (q, k, v, a), ()


def program(q, k, v, a):
    a = a & (torch.arange(8) > 2).view(8, 1)
    return torch.nn.functional.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), attn_mask=a)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
