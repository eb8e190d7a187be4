# touchstone: 1
# torch: 2.13.0
# expect: fault:permutations_cancelled BackendRejected/forward
# expect: fault:permutations_composed_backwards BackendRejected/forward
import torch


def inputs(seed, kind):
    x = data((4, 3, 5), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.permute(1, 0, 2).permute(1, 2, 0) * 2, torch.sin(x.permute(1, 2, 0))


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
