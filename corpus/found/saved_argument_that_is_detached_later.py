# touchstone: 1
# torch: 2.13.0
# found-by: sequences seed 104 case 76295
# note: an argument that is no leaf is saved for backward, and code behind a break detaches it in place: eager refuses the backward, PyTorch's compiled code has saved a tensor that autograd knows nothing of and goes on.
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager BackendAccepts
# expect: torch:aot_eager_decomp_partition BackendAccepts
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    l2 = data((1, 1), torch.float32, (seed, 1), kind).requires_grad_()
    t2 = l2 * 1
    t5 = data((1, 1), torch.float32, (seed, 1), kind)
    m = torch.nn.Module()
    m.weight = torch.nn.Parameter(t5)
    return (t2, m), (l2,)


def program(z, m):
    r0 = z * m.weight.sum()
    torch._dynamo.graph_break()
    z.detach_()
    return (r0,)


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, backward=[0]),
]
