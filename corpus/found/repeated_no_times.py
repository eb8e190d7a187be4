# touchstone: 1
# torch: 2.13.0
# note: x is repeated abs(n) times, n is 0: Inductor, which has a range for the result from 2 on and one up to 1, refuses. With dynamic=False it agrees.
# expect: torch:inductor BackendRejected/compile
import torch


def inputs(seed, kind):
    x = data((3,), torch.float64, (seed, 0), kind)
    return (x, 0), ()


def inputs_2(seed, kind):
    x = data((3,), torch.float64, (seed, 0), kind)
    return (x, 2), ()


def program(x, y):
    return x.repeat_interleave(abs(y))


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs_2", seed=3),
    dict(inputs="inputs_2", seed=4),
]
COMPILE = dict(dynamic=True)
