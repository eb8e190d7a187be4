# touchstone: 1
# torch: 2.13.0
# note: as_strided_ gives a view a node of its own, while its base keeps what was written; a native pipeline of ours let the view follow its base
# expect: torch:aot_function BackendRejected/compile
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w1 = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    b1 = w1.mul(1)
    x1 = torch.as_strided(b1, (1,), (1,), 1)
    return (x1,), (w1,)


def program(x1):
    x1.mul_(1)
    x1.as_strided_((2,), (1,), 1)
    return


CALLS = [
    dict(inputs="inputs", seed=1, backward=["arg 0"]),
    dict(inputs="inputs", seed=2, backward=["arg 0"]),
]
