# touchstone: 1
# torch: 2.13.0
# note: a convolution and the batch norm behind it
# fires: efficient_conv_bn_eval/efficient_conv_bn_eval_graph_transform_inlined
import torch


def inputs(seed, kind):
    x = data((2, 4, 6, 6), torch.float32, (seed, 0), kind).detach().requires_grad_()
    w = data((8, 4, 3, 3), torch.float32, (seed, 1), kind).detach().requires_grad_()
    c = data((8,), torch.float32, (seed, 2), kind)
    m = data((8,), torch.float32, (seed, 3), kind)
    v = data((8,), torch.float32, (seed, 4), kind).abs() + 0.5
    g = data((8,), torch.float32, (seed, 5), kind).detach().requires_grad_()
    b = data((8,), torch.float32, (seed, 6), kind).detach().requires_grad_()
    return (x, w, c, m, v, g, b), ()


def program(x, w, c, m, v, g, b):
    return torch.nn.functional.batch_norm(torch.nn.functional.conv2d(x, w, c), m, v, g, b)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
COMPILE = dict(options={"efficient_conv_bn_eval_fx_passes": True})
