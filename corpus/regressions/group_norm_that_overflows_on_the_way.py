# touchstone: 1
# torch: 2.13.0
# note: the kernel's mean overflows as elements are taken in one by one, in a row of one register and a half
import torch


def program(x1):
    return torch.where(torch.all(torch.nn.functional.group_norm(x1, 1)), x1, 0)


def inputs_changed_2(seed, kind):
    b0 = data((2, 3, 4), torch.float32, (seed, 783), kind)
    return (b0,), ()


CALLS = [
    dict(inputs="inputs_changed_2", seed=9, kind="special"),
    dict(inputs="inputs_changed_2", seed=10, kind="special"),
]
