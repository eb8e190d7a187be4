# touchstone: 1
# torch: 2.13.0
# note: the same, called as operators of aten
# fires: efficient_conv_bn_eval/efficient_conv_bn_eval_graph_transform_decomposed
import torch


def inputs(seed, kind):
    x = data((2, 4, 6, 6), torch.float32, (seed, 0), kind)
    w = data((8, 4, 3, 3), torch.float32, (seed, 1), kind)
    m = data((8,), torch.float32, (seed, 2), kind)
    v = data((8,), torch.float32, (seed, 3), kind).abs() + 0.5
    g = data((8,), torch.float32, (seed, 4), kind).detach().requires_grad_()
    b = data((8,), torch.float32, (seed, 5), kind).detach().requires_grad_()
    return (x, w, m, v, g, b), ()


def program(x, w, m, v, g, b):
    y = torch.ops.aten.conv2d.default(x, w)
    return torch.ops.aten.batch_norm.default(y, g, b, m, v, False, 0.1, 1e-05, False)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
COMPILE = dict(options={"efficient_conv_bn_eval_fx_passes": True})
