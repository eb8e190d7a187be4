# touchstone: 1
# expect: torch:fault:gather_is_an_index_select Differs
import torch


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    i = torch.tensor([[0, 1], [2, 0]])
    return torch.gather(x, 0, i)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
