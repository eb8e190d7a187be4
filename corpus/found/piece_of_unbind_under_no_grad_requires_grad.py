# touchstone: 1
# torch: 2.13.0
# found-by: seed 11 case 18
# note: a view taken under no_grad requires no grad in eager; AOTAutograd regenerates it from the input with grad on. A bug: a detached piece becomes differentiable.
# expect: torch:aot_eager Differs/requires_grad/call 0 output 0
# expect: torch:aot_eager_decomp_partition Differs/requires_grad/call 0 output 0
# expect: torch:aot_function Differs/requires_grad/call 0 output 0
import torch


def inputs(seed, kind):
    b0 = data((1,), torch.float32, (seed, 839), kind)
    w3 = data((), torch.float32, (seed, 274), kind).requires_grad_()
    x0 = b0.expand((2,)).requires_grad_()
    return (x0,), ()


def program(x0):
    with torch.no_grad():
        y5, y6 = x0.unbind(0)
    return (y6,)


CALLS = [
    dict(inputs="inputs", seed=7, kind="uniform"),
    dict(inputs="inputs", seed=8, kind="uniform"),
]
