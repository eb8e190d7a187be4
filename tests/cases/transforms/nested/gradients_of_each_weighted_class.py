# touchstone: 1
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    b = data((3,), torch.float32, (seed, 2), kind)
    return (x, w, b), ()


def f(a, n, c):
    scores = torch.log_softmax(a, 1)
    return torch.nn.functional.nll_loss(scores, n, weight=c, ignore_index=1, reduction="sum")


def program(x, w, b):
    return torch.vmap(torch.func.grad(f), in_dims=(0, None, None))(x.view(2, 1, 3), torch.tensor([2]), b.abs())


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
