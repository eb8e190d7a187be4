# touchstone: 1
# torch: 2.13.0
# found-by: seed 11 case 107
# note: compiled for two views of one tensor; the second call passes two tensors. Nothing guards the sharing, so the code for one base is used again, and the write to x3 is lost. A bug: the caller's data is wrong; pytorch/pytorch#139789 and pull request #185891 are about such guards.
# expect: torch:aot_eager Differs/version/call 2 arg 1
# expect: torch:aot_eager_decomp_partition Differs/version/call 2 arg 1
import torch


def inputs(seed, kind):
    b0 = data((1, 2, 1), torch.float32, (seed, 1), kind)
    x0 = b0.permute((2, 1, 0))
    return (x0, b0), ()


def program(x0, x3):
    x3.mul_(2)
    x0.fill_(1)
    return


def inputs_changed(seed, kind):
    b0 = data((1, 2, 1), torch.float32, (seed, 1), kind)
    b3 = data((1, 2, 1), torch.float32, (seed, 1), kind)
    x0 = b3.permute((2, 1, 0))
    return (x0, b0), ()


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_changed"),
]
