# touchstone: 1
import torch


def inputs(seed, kind):
    q = data((2, 3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    k = data((2, 5, 4), torch.float32, (seed, 1), kind).requires_grad_()
    v = data((2, 5, 4), torch.float32, (seed, 2), kind).requires_grad_()
    return (q, k, v), ()


def program(q, k, v):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=1),
]
