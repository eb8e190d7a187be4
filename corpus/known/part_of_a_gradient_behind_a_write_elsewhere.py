# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: as part_of_a_gradient_behind_a_write, but what writes is not in the Graph that made the view.
# note: in plain Python: script `z = x * x; return torch.stack([z, z]).unsqueeze(0), x * x * x`; `y, w = f(x)`, `y[0, 1].detach().add_(1)`, `(y[0, 1].sum() + w.sum()).backward()`: from the second run on x.grad lacks 2 * x.
# expect: ts Differs/gradient_values/call 1 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x1 = data((2,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x1,), ()


def helper_0(x1):
    return torch.nn.functional.dropout(x1, 0.5, training=False)


def program(x1):
    y0 = x1 * x1
    y1 = torch.func.vmap(helper_0, in_dims=(0,))(torch.stack([y0, y0], 0).unsqueeze(0))[0][1]
    y1.detach().add_(1)
    y2 = x1 * x1 * x1
    return y1, y2


CALLS = [
    dict(inputs="inputs", backward=[0, 1]),
    dict(inputs="inputs", seed=1, backward=[0, 1]),
    dict(inputs="inputs", seed=2, backward=[0, 1]),
]
