# touchstone: 1
# torch: 2.13.0
# note: two defects of TorchScript, gradient_of_a_deviation_of_one_element and gradient_times_a_mask: NaN of the deviation's formula, multiplied by 0 of hardtanh's; eager's hardtanh would leave it out, and neither formula shows it alone.
# note: in plain Python: script `return torch.std(torch.nn.functional.hardtanh(x + 9), 1, correction=0)`, `f(x).sum().backward()` from the second run on with x of sizes 1, 1 and not less than -8: NaN, eager 0.
# expect: ts Differs/gradient_values/call 1 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w1 = data((1, 1), torch.float32, (seed, 1), kind).requires_grad_()
    return (w1,), ()


def program(x1):
    y1 = torch.nn.functional.hardtanh(x1 + 9)
    y2 = torch.std(y1, 1, correction=0)
    return y2


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
]
