# touchstone: 1
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    b = data((3,), torch.float32, (seed, 2), kind)
    return (x, w, b), ()


def f(a, c, n):
    mse = torch.nn.functional.mse_loss(a, c)
    huber = torch.nn.functional.huber_loss(a, c)
    smooth = torch.nn.functional.smooth_l1_loss(a, c)
    entropy = torch.nn.functional.cross_entropy(a.unsqueeze(0), n.unsqueeze(0))
    return mse, huber, smooth, entropy


def program(x, w, b):
    return torch.vmap(f, in_dims=(0, None, 0))(x * w, b, torch.tensor([2, 1]))


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
