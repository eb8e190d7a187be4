# touchstone: 1
# torch: 2.13.0
# note: a trait of TorchScript: the gradients that an operand gets of operators that are differentiated together are added before others, in an order of its own; of overflows NaN may remain, or not.
# note: in plain Python: script `y = (x * x + z)[[0, 0, 1]]`, `return y, torch.addcmul(z, x, x), y`, backward by all three from the second run on with large elements of both signs.
# expect: ts Differs/gradient_values/call 1 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b4 = torch.ones(())
    b6 = data((2, 5, 2), torch.float32, (seed, 551), kind).requires_grad_()
    return (b4, b6), ()


def program(x4, x6):
    y5 = (x6 * x6 + x4)[[0, 0, 1]]
    return y5, torch.addcmul(x4, x6, x6), y5


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=11, kind="special", backward=[0, 1, 2], tangent_seed=29),
    dict(inputs="inputs", seed=12, kind="special", backward=[0, 1, 2], tangent_seed=29),
]
