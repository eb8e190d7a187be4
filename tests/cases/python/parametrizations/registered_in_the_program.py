# touchstone: 1
# torch: 2.13.0
# expect: torch:eager Vacuous
# expect: torch:aot_eager Vacuous
import torch
import torch.nn.utils.parametrize


class Times(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.factor = n

    def forward(self, w):
        return w * self.factor


def inputs(seed, kind):
    m = torch.nn.Linear(2, 2)
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    return (m, x), ()


def program(m, x):
    y = m(x)
    torch.nn.utils.parametrize.register_parametrization(m, "weight", Times(3.0))
    return y + m(x)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
