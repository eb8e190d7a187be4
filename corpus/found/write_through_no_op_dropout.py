# touchstone: 1
# torch: 2.13.0
# found-by: seed 1 case 41
# note: dropout that is off returns its very input in eager; under AOTAutograd it returns another tensor, so the write to it never reaches x0. A bug: silent wrong values (pytorch/pytorch#195422 has the shape).
# expect: torch:aot_eager Differs/values/call 0 output 2
# expect: torch:aot_eager_decomp_partition Differs/values/call 0 output 2
# expect: torch:aot_function Differs/values/call 0 output 2
import torch


def inputs(seed, kind):
    b0 = data((1, 1, 1), torch.float32, (seed, 1), kind)
    b1 = data((1,), torch.bool, (seed, 1), kind)
    w2 = data((1, 1), torch.float32, (seed, 1), kind)
    return (b0, b1, w2), ()


def program(x0, x1, x2):
    y5 = torch.nn.functional.dropout(x0, p=0.5, training=False).add_(1)
    return x1, x2, x0


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
]
