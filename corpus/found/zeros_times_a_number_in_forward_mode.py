# touchstone: 1
# torch: 2.13.0
# note: autograd keeps zeros without memory when a formula multiplies them, and a sum with them is the other operand. A bug: AOT autograd calls operators on them, and the process ends.
# expect: torch:aot_function Crashed
# expect: torch:aot_eager_default_partitioner Crashed
# expect: torch:aot_eager Crashed
# expect: torch:aot_eager_decomp_partition Crashed
# expect: torch:inductor Crashed
import torch


def inputs(seed, kind):
    x = data((2, 2), torch.float32, (seed, 1), kind)
    return (x,), ()


def program(x):
    y, a = torch.func.jvp(lambda t: torch.add(t, t.detach(), alpha=2), (x,), (x,))
    z, b = torch.func.jvp(lambda t: torch.sub(t, t.detach(), alpha=3), (x,), (x,))
    u, c = torch.func.jvp(lambda t: torch.maximum(t.detach(), t), (x,), (x,))
    v, d = torch.func.jvp(lambda t: torch.sub(t.detach(), t), (x,), (x,))
    w, e = torch.func.jvp(lambda t: torch.lerp(t, t.detach(), 0.25), (x,), (x,))
    p, f = torch.func.jvp(lambda t: torch.lerp(t.detach(), t, 0.25), (x,), (x,))
    q, g = torch.func.jvp(lambda t: torch.addcmul(t, t.detach(), t.detach(), value=2), (x,), (x,))
    r, h = torch.func.jvp(lambda t: torch.addcdiv(t.detach(), t, t.detach(), value=2), (x,), (x,))
    return a, b, c, d, e, f, g, h


CALLS = [
    dict(inputs="inputs", kind="special"),
    dict(inputs="inputs", seed=1, kind="special"),
]
