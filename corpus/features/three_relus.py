# touchstone: 1
# torch: 2.13.0
# note: the first relu cannot change what is returned, the other two can: for bisecting a fault in relu
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    a = torch.gt(torch.relu(x), -100).to(torch.float32)
    b = torch.relu(a * x)
    return torch.relu(b) + x


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
