# touchstone: 1
# torch: 2.13.0
# note: a clone of an inference tensor that requires grad has a history
# expect: torch:aot_function Differs/requires_grad/call 0 output 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    return (data((2,), torch.float32, (seed, 1), kind),), ()


def program(x0):
    with torch.inference_mode():
        y2 = torch.ones((1,), requires_grad=True)
    if x0.dim() > 1:
        pass
    else:
        y8 = y2.clone()
    return y8 * x0


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=3),
    dict(inputs="inputs", seed=4),
]
