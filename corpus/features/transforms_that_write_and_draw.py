# touchstone: 1
# torch: 2.13.0
# note: writes in place and random numbers under vmap and grad; what a function writes to of those around it
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    b = data((3,), torch.float32, (seed, 1), kind)
    return (x, b), ()


def written(a):
    y = a * 2
    y.mul_(a)
    y[0] = a[1]
    return y.sum()


def drawn(a):
    return a + torch.randn(3)


def program(x, b):
    c = b.clone()
    def counted(a):
        c.add_(1)
        return a * c
    y = torch.vmap(counted)(x)
    same = torch.vmap(drawn, randomness="same")(x)
    different = torch.vmap(drawn, randomness="different")(x)
    return y, c, torch.vmap(torch.func.grad(written))(x), same, different


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8),
]
