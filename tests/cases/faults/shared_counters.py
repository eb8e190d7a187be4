# touchstone: 1
# torch: 2.13.0
# expect: fault:version_counters_apart Differs/gradient_values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def between(args, outputs):
    with torch.no_grad():
        outputs[1].mul_(2)


def program(x):
    y = torch.exp(x)
    return y, y.detach()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], between="between"),
    dict(inputs="inputs", seed=2, backward=[0], between="between"),
]
