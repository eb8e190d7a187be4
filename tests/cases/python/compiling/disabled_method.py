# touchstone: 1
# torch: 2.13.0
# expect: torch:eager Vacuous
# expect: torch:aot_eager Vacuous
import torch


class Scale:
    def __init__(self, t):
        self.held = t

    @torch.compiler.disable
    def run(self, t):
        return t.sin() * self.held


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    s = Scale(y)
    z = x * 2
    return s.run(z) + 1


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
