# touchstone: 1
# torch: 2.13.0
# note: a break in a region of autocast whose flag the Program has bound anew
# expect: aot_joint Vacuous
# expect: torch:eager Vacuous
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager Vacuous
# expect: torch:aot_eager_decomp_partition Vacuous
# expect: ts Vacuous
# expect: simple_ts_compile Vacuous
# expect: ts_compile Vacuous
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    y = data((3, 3), torch.float32, (seed, 1), kind)
    return (x, y), ()


def inputs2(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    return (x, x), ()


def program(x, y):
    flag = False
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=flag):
        flag = True
        a = torch.mm(x, y)
        torch._dynamo.graph_break()
        b = torch.mm(x, y)
    return a, b, flag


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs2", seed=2),
]
