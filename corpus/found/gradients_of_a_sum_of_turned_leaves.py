# touchstone: 1
# torch: 2.13.0
# note: the gradients of both leaves are one memory, which eager's engine still holds for another node when the first leaf gets it
# expect: simple_ts_compile Unsupported
# expect: torch:aot_eager Differs/gradient_values
# expect: torch:aot_eager_decomp_partition Differs/gradient_values
# expect: torch:aot_function Differs/gradient_values
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    a = data((2, 2), torch.float32, (seed, 0), kind).requires_grad_()
    b = data((2, 2), torch.float32, (seed, 1), kind).requires_grad_()
    return (a, b), ()


def program(a, b):
    return torch.maximum(torch.add(a.mT.mT, b), torch.zeros(()))


CALLS = [
    dict(inputs="inputs", backward=[0], backward_times=2),
    dict(inputs="inputs", seed=1, backward=[0], backward_times=2),
]
