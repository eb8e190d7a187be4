# touchstone: 1
# torch: 2.13.0
# note: a custom function writes through memory that overlaps itself: what it leaves there is open (A14).
# expect: torch:eager Vacuous
# expect: torch:aot_eager Vacuous
# expect: torch:aot_eager_decomp_partition Vacuous
import torch


class MarksDirty(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 3


def program(x1):
    MarksDirty.apply(x1)
    return


def inputs_changed_2(seed, kind):
    w1 = data((5,), torch.float32, (seed, 1), kind)
    x1 = torch.as_strided(w1, (2, 2), (1, 1), 2)
    return (x1,), ()


CALLS = [
    dict(inputs="inputs_changed_2"),
    dict(inputs="inputs_changed_2", seed=2),
    dict(inputs="inputs_changed_2", seed=3),
]
