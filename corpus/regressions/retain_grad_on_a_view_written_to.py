# touchstone: 1
# torch: 2.13.0
# note: the view retains its gradient, and is written to under no_grad twice: its grad_fn is made anew, and the hook goes along.
# expect: torch:eager Vacuous
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager Vacuous
# expect: torch:aot_eager_decomp_partition Vacuous
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b2 = data((1, 3), torch.float32, (seed, 1), kind).requires_grad_()
    return (b2.mul(1).permute((1, 0)),), (b2,)


def program(x2):
    x2.retain_grad()
    with torch.no_grad():
        y0 = x2.mul_(2)
    z = torch.tensordot(y0, y0, ([0], [0]))
    with torch.no_grad():
        x2.addcmul_(x2, y0)
    return (z,)


CALLS = [
    dict(inputs="inputs", seed=1, backward=["arg 0"]),
    dict(inputs="inputs", seed=2, backward=["arg 0"]),
    dict(inputs="inputs", seed=3, backward=["arg 0"]),
]
