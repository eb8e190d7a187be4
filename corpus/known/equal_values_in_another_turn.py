# touchstone: 1
# torch: 2.13.0
# note: two products, of which the later one is returned first: TorchScript makes them one, or runs them in another order; gradients that overflow are added in another order.
# expect: ts Differs/gradient_values/call 1 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 1100), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = x * x
    return x, x * x, y


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=102, kind="special", backward=[0, 1, 2], tangent_seed=39),
    dict(inputs="inputs", seed=103, kind="special", backward=[0, 1, 2], tangent_seed=39),
]
