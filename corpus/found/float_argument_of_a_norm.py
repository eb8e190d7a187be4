# touchstone: 1
# torch: 2.13.0
# note: a float that changes is a symbol from its second value on; where it reaches the eps of a norm by arithmetic, Inductor keeps that of the second value, and no guard says so. With dynamic=False it agrees.
# expect: torch:inductor Differs/values/call 3 output 0
import torch


def inputs(seed, kind):
    x = data((3,), torch.float64, (seed, 0), kind)
    return (x, 0.25), ()


def inputs_2(seed, kind):
    x = data((3,), torch.float64, (seed, 0), kind)
    return (x, 0.5), ()


def inputs_3(seed, kind):
    x = data((3,), torch.float64, (seed, 0), kind)
    return (x, 1.5), ()


def program(x, y):
    return torch.nn.functional.layer_norm(x * y, (3,), eps=y + 0.5)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_2", seed=2),
    dict(inputs="inputs_2", seed=3),
    dict(inputs="inputs_3", seed=4),
    dict(inputs="inputs_3", seed=5),
]
COMPILE = dict(dynamic=None)
