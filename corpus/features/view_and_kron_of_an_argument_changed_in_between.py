# touchstone: 1
# torch: 2.13.0
# note: kron saves the argument as a tensor of its own, unnoticed by autograd; a view beside it gets a new grad_fn by the change.
# expect: aot_joint Limit/A16
# expect: aot_functional Limit/A16
# expect: torch:aot_eager Limit/A16
# expect: torch:aot_eager_decomp_partition Limit/A16
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b1 = data((3, 2), torch.float32, (seed, 1), kind)
    x1 = b1[2:].requires_grad_()
    return (x1,), ()


def touch(args, outs):
    args[0].mul_(2)


def program(x1):
    y3 = x1.squeeze()
    y4 = torch.kron(x1, x1)
    return y4, y3


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1], between="touch"),
    dict(inputs="inputs", seed=2, backward=[0, 1], between="touch"),
    dict(inputs="inputs", seed=3, backward=[0, 1], between="touch"),
]
