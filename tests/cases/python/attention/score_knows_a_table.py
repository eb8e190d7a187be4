# touchstone: 1
# torch: 2.13.0
import torch
import torch.nn.attention.flex_attention


def inputs(seed, kind):
    q = data((1, 2, 8, 4), torch.float32, (seed, 0), kind)
    k = data((1, 2, 8, 4), torch.float32, (seed, 1), kind)
    v = data((1, 2, 8, 4), torch.float32, (seed, 2), kind)
    bias = data((8, 8), torch.float32, (seed, 3), kind)
    return (q, k, v, bias), ()


def program(q, k, v, bias):
    def biased(score, b, h, i, j):
        return score + bias[i, j]
    return torch.nn.attention.flex_attention.flex_attention(q, k, v, score_mod=biased)


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8),
]
