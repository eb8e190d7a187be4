# touchstone: 1
# torch: 2.13.0
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return torch.sigmoid(x) + torch.tanh(x) + torch.relu(x) + torch.nn.functional.gelu(x) + torch.nn.functional.leaky_relu(x, 0.3) + torch.nn.functional.softplus(x, 2.0) + torch.nn.functional.elu(x)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
