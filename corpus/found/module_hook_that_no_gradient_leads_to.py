# touchstone: 1
# torch: 2.13.0
# note: no gradient leads to the hook's node from the output that is differentiated; it would be given zeros.
# expect: ts Differs/gradient_presence
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager_default_partitioner NoneBecameZero
# expect: torch:aot_eager NoneBecameZero
# expect: torch:aot_eager_decomp_partition NoneBecameZero
# expect: torch:inductor NoneBecameZero
import torch


def inputs(seed, kind):
    b0 = data((2,), torch.float32, (seed, 1), kind)
    b1 = torch.ones((2, 2)).requires_grad_()
    b4 = torch.ones((2, 2))
    m = torch.nn.Module()
    m.weight = torch.nn.Parameter(torch.ones((2,)))
    m.bn = torch.nn.BatchNorm1d(2, momentum=None)
    return (b0, b1, b4, m), ()


def scale_gradient(module, grad_input, grad_output):
    return (grad_input[0],)


def program(x0, x1, x4, m):
    m.bn.register_full_backward_hook(scale_gradient)
    y1 = m.bn(x1)
    y3 = x0 @ m.weight
    y10 = y3 + y1
    x4.add_(y10)
    return y3


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
]
