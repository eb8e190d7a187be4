# touchstone: 1
# torch: 2.13.0
# found-by: sequences seed 4148706171 case 3379
# note: a view of an argument is taken, the argument is written to, and code behind a break detaches it. Eager's view asks its base for its history when it is needed, finds none, and passes no gradient on; PyTorch's compiled view has a history of its own.
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager Differs/gradient_presence
# expect: torch:aot_eager_decomp_partition Differs/gradient_presence
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    l2 = data((1, 1), torch.float32, (seed, 1), kind).requires_grad_()
    t2 = l2 * 1
    return (t2,), (l2,)


def program(z):
    r0 = z.t()
    z.mul_(1)
    torch._dynamo.graph_break()
    z.detach_()
    return r0


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1, backward=[0]),
]
