# touchstone: 1
# torch: 2.13.0
# note: a product of the sum and the mean, added with one rounding: of two roundings it is infinite
# expect: ts_compile Unsupported
# expect: simple_ts_compile Unsupported
# expect: torch:aot_eager_decomp_partition Differs/gradient_values/call 0 leaf 0
# expect: torch:inductor Differs/gradient_values/call 0 leaf 0
import torch


def inputs(seed, kind):
    b4 = data((2, 2, 2, 2), torch.float32, (seed, 1100), kind).requires_grad_()
    x3 = data((2, 2, 2, 2), torch.float32, (seed, 1101), kind).permute((0, 3, 1, 2))
    return (b4, x3), ()


def program(x2, x3):
    y19 = torch.nn.functional.layer_norm(x2, (2,)) * x3
    return y19, y19


CALLS = [
    dict(inputs="inputs", seed=8, kind="special", backward=[0, 1], tangent_seed=19, tangent_layout="expanded"),
    dict(inputs="inputs", seed=9, kind="special", backward=[0, 1], tangent_seed=19, tangent_layout="expanded"),
]
