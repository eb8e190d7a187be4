# touchstone: 1
# torch: 2.13.0
# note: vmap of a gradient of a module's function with other parameters, vmap of vmap, and vmap with dimensions of containers
import torch


def inputs(seed, kind):
    x = data((4, 3), torch.float32, (seed, 0), kind)
    w = data((2, 3), torch.float32, (seed, 1), kind).requires_grad_()
    b = data((2,), torch.float32, (seed, 2), kind)
    return (x, w, b), ()


def loss(p, sample, target):
    y = torch.nn.functional.linear(sample, p["weight"], p["bias"])
    return torch.nn.functional.mse_loss(y, target)


def dotted(a, c):
    return (a * c).sum()


def program(x, w, b):
    each = torch.vmap(torch.func.grad(loss), in_dims=(None, 0, None))({"weight": w, "bias": b}, x, b)
    products = torch.vmap(torch.vmap(dotted, in_dims=(None, 0)), in_dims=(0, None), out_dims=1)(x, w)
    return products, each


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
