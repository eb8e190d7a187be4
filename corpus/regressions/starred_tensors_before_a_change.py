# touchstone: 1
# torch: 2.13.0
# note: tensors taken out of a list before a later operand changes it
# expect: aot_joint Vacuous
# expect: torch:eager Vacuous
# expect: torch:aot_function Vacuous
# expect: torch:aot_eager Vacuous
# expect: torch:aot_eager_decomp_partition Vacuous
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    y = data((3, 3), torch.float32, (seed, 1), kind)
    return (x, y), ()


def inputs2(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    return (x, x), ()


def program(x, y):
    parts = [x, y]
    z = torch.stack([*parts, parts.pop()])
    return z


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs2", seed=2),
]
