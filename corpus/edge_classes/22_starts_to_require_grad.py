# touchstone: 1
# torch: 2.13.0
# note: an input starts to require grad because of the mutation
# note: a defect of AOTAutograd: the input as it was before the write is saved for backward, then written to, so each backward is refused; eager's mul_ saves a copy
# expect: torch:aot_eager BackendRejected/backward
# expect: torch:aot_eager_decomp_partition BackendRejected/backward
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    w = data((3, 4), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    x.mul_(w)
    return x.add(1)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, "arg 0"], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=["arg 0"], tangent_seed=4),
]
