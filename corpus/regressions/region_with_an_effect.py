# touchstone: 1
# torch: 2.13.0
# note: a region is entered with what a function gives that changes a list; break inside
# expect: aot_joint Vacuous
# expect: torch:eager Vacuous
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager Vacuous
# expect: torch:aot_eager_decomp_partition Vacuous
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    y = data((3, 3), torch.float32, (seed, 1), kind)
    return (x, y), ()


def inputs2(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    return (x, x), ()


def helper(parts):
    parts.append(1)
    return True


def program(x, y):
    parts = []
    with torch.no_grad(), torch.set_grad_enabled(helper(parts)):
        a = torch.mm(x, y)
        torch._dynamo.graph_break()
        b = torch.mm(x, y)
    return a, b, parts


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs2", seed=2),
]
