# touchstone: 1
# expect: torch:fault:training_is_not_guarded Differs
import torch


def inputs(seed, kind):
    m = torch.nn.Dropout(0.5)
    x = data((16,), torch.float32, (seed, 1), kind)
    return (m, x), ()


def inputs_2(seed, kind):
    m = torch.nn.Dropout(0.5).eval()
    x = data((16,), torch.float32, (seed, 1), kind)
    return (m, x), ()


def program(m, x):
    return m(x)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_2", seed=2),
    dict(inputs="inputs_2", seed=3),
]
