# touchstone: 1
# torch: 2.13.0
# note: mutation, metadata, aliases, duplicates, and a view made under no_grad, whose autograd state is eager's own
# note: a defect of AOTAutograd, small, the one of class 44; under torch:aot_function an assertion about the number of tangents, since eager's own backward through the no_grad view raises
# expect: torch:aot_eager Differs/leaf/call 0 output 2
# expect: torch:aot_eager_decomp_partition Differs/leaf/call 0 output 2
# expect: torch:aot_function InternalError/compile
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    leaf = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    x = leaf.mul(1)
    base = data((16,), torch.float32, (seed, 1), kind)
    a = base[0:12].view(3, 4)
    b = base[2:14].view(4, 3)
    return (x, a, b, x), (leaf, base)


def program(x, a, b, twin):
    x.mul_(2)
    a.add_(1)
    b.t_()
    y = x * a
    with torch.no_grad():
        z = y.view(-1)
    return y, y.t(), z, twin.view(-1), b, y.detach()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[3], tangent_seed=4, tangent_layout="gapped"),
]
