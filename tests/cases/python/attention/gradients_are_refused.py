# touchstone: 1
# torch: 2.13.0
# expect: torch:eager_python BothRejected
# expect: torch:eager BothRejected
# expect: torch:aot_eager BothRejected
import torch
import torch.nn.attention.flex_attention


def halved(score, b, h, q, k):
    return score / 2 + h


def inputs(seed, kind):
    q = data((1, 2, 8, 4), torch.float32, (seed, 0), kind).requires_grad_()
    k = data((1, 2, 8, 4), torch.float32, (seed, 1), kind)
    v = data((1, 2, 8, 4), torch.float32, (seed, 2), kind)
    return (q, k, v), ()


def program(q, k, v):
    return torch.nn.attention.flex_attention.flex_attention(q, k, v, score_mod=halved)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
