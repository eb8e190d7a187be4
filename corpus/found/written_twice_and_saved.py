# touchstone: 1
# torch: 2.13.0
# note: an argument is written to through a detached alias and then in place, what the second write made is saved, and code behind a break writes to it again: eager refuses the backward.
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager BackendAccepts
# expect: torch:aot_eager_decomp_partition BackendAccepts
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w2 = data((1, 1, 1), torch.float64, (seed, 1), kind).requires_grad_()
    b2 = w2.mul(1)
    return (b2,), (w2,)


def program(x3):
    x3.detach().add_(1)
    y1 = torch.nn.functional.relu(x3, inplace=True)
    if y1:
        y1 *= 1
    return


CALLS = [
    dict(inputs="inputs", backward=["arg 0"]),
    dict(inputs="inputs", seed=2, backward=["arg 0"]),
    dict(inputs="inputs", seed=3, backward=["arg 0"]),
    dict(inputs="inputs", seed=4, backward=["arg 0"]),
    dict(inputs="inputs", seed=5, backward=["arg 0"]),
]
