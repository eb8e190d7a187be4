# touchstone: 1
# torch: 2.13.0
# note: an argument made by as_strided from what requires grad is written to through a view of it, then given a hook: Python PyTorch ends by a segmentation fault in register_hook
# expect: aot_eager Unsupported
# expect: aot_eager_decomp_partition Unsupported
# expect: aot_eager_default_partitioner Unsupported
# expect: invoke_subgraph Unsupported
# expect: aot_joint Unsupported
# expect: aot_functional Unsupported
# expect: torch:eager_python Crashed
# expect: torch:aot_function Unsupported
import torch


def negate(g):
    return -g


def inputs(seed, kind):
    w1 = data((1,), torch.float32, (seed, 1), kind).requires_grad_()
    b1 = w1.mul(1)
    x1 = torch.as_strided(b1, (1, 1), (1, 1), 0)
    return (x1,), (w1,)


def program(x1):
    x1.transpose(1, 1).add_(1)
    x1.register_hook(negate)
    return x1 * 2


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
