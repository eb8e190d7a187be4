# touchstone: 1
# torch: 2.13.0
import torch
import torch.nn.attention.flex_attention


def causal(b, h, q, k):
    return q >= k


def inputs(seed, kind):
    q = data((1, 2, 8, 4), torch.float32, (seed, 0), kind)
    k = data((1, 2, 8, 4), torch.float32, (seed, 1), kind)
    v = data((1, 2, 8, 4), torch.float32, (seed, 2), kind)
    return (q, k, v), ()


def program(q, k, v):
    mask = torch.nn.attention.flex_attention.create_block_mask(causal, None, None, 8, 8, device="cpu")
    return torch.nn.attention.flex_attention.flex_attention(q, k, v, block_mask=mask)


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8),
]
