# touchstone: 1
# torch: 2.13.0
# note: torch.func.grad with argnums, aux and containers, of functions of the file and of a closure; what is captured are plain operators
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    b = data((3,), torch.float32, (seed, 2), kind)
    return (x, w, b), ()


def loss(p, s):
    y = p["w"] * p["rest"][0] * s
    return y.sum(), {"y": y, "both": [p["w"], (y * 2,)]}


def program(x, w, b):
    def scaled(a):
        return (a * b * x).sin().sum()
    gradients, aux = torch.func.grad(loss, has_aux=True)({"w": w, "rest": [b]}, 3)
    g, value = torch.func.grad_and_value(scaled)(w)
    both = torch.func.grad(lambda a, c: (a * c.exp()).sum(), argnums=(1, 0))(w, b)
    return g, gradients, aux, value, both


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
