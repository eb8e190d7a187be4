# touchstone: 1
# torch: 2.13.0
# note: a backward for tangents with gaps saves an input for its sizes alone, beside an _unsafe_view of it, whose version is another
# expect: torch:aot_function Differs/gradient_values/call 0 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b2 = data((2, 1), torch.float32, (seed, 1), kind).requires_grad_()
    return (seed, seed, b2), ()


def program(x0, x1, x2):
    y0 = torch.kron(x2, x2)
    y1 = torch.index_add(x2, 0, torch.tensor([0, 0]), x2)
    return y1, y0


def touch(args, outs):
    args[2].mul_(2)


CALLS = [
    dict(inputs="inputs", backward=[0, 1], tangent_layout="gapped", between="touch"),
    dict(inputs="inputs", seed=1, backward=[0, 1], tangent_layout="gapped", between="touch"),
    dict(inputs="inputs", seed=2, backward=[0, 1], tangent_layout="gapped", between="touch"),
]
