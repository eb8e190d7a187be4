# touchstone: 1
import torch


def keep_shape(module, args, result):
    return result * 2


def inputs(seed, kind):
    m = torch.nn.Dropout(0.5)
    m.register_forward_hook(keep_shape)
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x, m), ()


def program(x, m):
    return m(x)


CALLS = [
    dict(inputs="inputs", seed=7, rng_seed=3, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, rng_seed=4, backward=[0], tangent_seed=2),
]
