# touchstone: 1
# torch: 2.13.0
# note: a product that TorchScript differentiates is run behind two that it does not: gradients that overflow are added in another order.
# expect: ts Differs/gradient_values/call 1 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((4, 4), torch.float64, (seed, 2), kind)
    y = torch.ones((1, 4), dtype=torch.float64).requires_grad_()
    return (x, y), ()


def program(x, y):
    z = y @ x
    return torch.einsum("ij,jk->ki", y, x), torch.einsum("ij,jk->ik", y, x), z


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1, kind="special", backward=[0, 1, 2], tangent_seed=33, tangent_layout="transposed"),
    dict(inputs="inputs", seed=2, kind="special", backward=[0, 1, 2], tangent_seed=33, tangent_layout="transposed"),
]
