# touchstone: 1
# torch: 2.13.0
# note: two defects of TorchScript at once, which raise the same: linear_with_a_vector_as_weight and gradient_of_complex_numbers.
# expect: ts BackendRejected/backward
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w1 = data((1, 1), torch.float32, (seed, 1), kind).requires_grad_()
    return (w1,), ()


def program(x1):
    y3 = torch.nn.functional.linear(x1, x1[0])
    return (torch.polar(y3.abs(), y3).abs(),)


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
