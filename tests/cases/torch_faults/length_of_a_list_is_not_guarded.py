# touchstone: 1
# expect: torch:fault:length_of_a_list_is_not_guarded Differs
import torch


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    y = data((3,), torch.float32, (seed, 1), kind)
    l = [x]
    return (l,), ()


def inputs_2(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    y = data((3,), torch.float32, (seed, 1), kind)
    l = [x, y]
    return (l,), ()


def program(l):
    return l[-1] * len(l)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_2", seed=2),
    dict(inputs="inputs_2", seed=3),
]
