# touchstone: 1
# torch: 2.13.0
# note: the same with a mask
# fires: fuse_attention/sfdp_pattern_29_inference
# fires: fuse_attention/sfdp_pattern_29_training
import torch


def inputs(seed, kind):
    q = data((2, 8, 4, 16), torch.float32, (seed, 0), kind).detach().requires_grad_()
    k = data((2, 8, 4, 16), torch.float32, (seed, 1), kind).detach().requires_grad_()
    v = data((2, 8, 4, 12), torch.float32, (seed, 2), kind).detach().requires_grad_()
    a = data((1, 1, 8, 8), torch.float32, (seed, 3), kind)
    return (q, k, v, a), ()


def program(q, k, v, a):
    return torch.nn.functional.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), attn_mask=a)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
