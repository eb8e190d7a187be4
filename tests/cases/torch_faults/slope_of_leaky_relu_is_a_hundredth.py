# touchstone: 1
# expect: torch:fault:slope_of_leaky_relu_is_a_hundredth Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.nn.functional.leaky_relu(x, 0.25)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
