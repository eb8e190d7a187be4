# touchstone: 1
# torch: 2.13.0
# note: mutation, metadata, aliases of inputs and intermediates, duplicates, no grad
# note: a defect of AOTAutograd when it is called without Dynamo, which would remove the duplicate argument: an assertion about the number of tangents
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
        z = y.mul(2)
    return y, y.t(), z, twin.view(-1), b, y.detach()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[3], tangent_seed=4, tangent_layout="gapped"),
]
