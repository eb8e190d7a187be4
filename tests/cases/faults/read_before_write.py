# touchstone: 1
# torch: 2.13.0
# expect: fault:last_write_dropped Differs/version
# expect: fault:mutation_not_written_back Differs/input_values
# expect: fault:version_not_bumped Differs/version
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = torch.sin(x)
    x.add_(1)
    return y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
