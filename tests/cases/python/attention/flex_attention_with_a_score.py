# touchstone: 1
# torch: 2.13.0
import torch
import torch.nn.attention.flex_attention


def shifted(score, b, h, q, k):
    return score + (q - k)


def inputs(seed, kind):
    q = data((1, 2, 8, 4), torch.float32, (seed, 0), kind)
    k = data((1, 2, 8, 4), torch.float32, (seed, 1), kind)
    return (q, k), ()


def program(q, k):
    return torch.nn.attention.flex_attention.flex_attention(q, k, k, score_mod=shifted)


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8),
]
