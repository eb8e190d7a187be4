# touchstone: 1
# torch: 2.13.0
# note: a batch norm without weight and bias, the convolution used again
# fires: efficient_conv_bn_eval/efficient_conv_bn_eval_graph_transform_inlined
import torch


def inputs(seed, kind):
    x = data((2, 4, 6), torch.float32, (seed, 0), kind)
    w = data((8, 4, 3), torch.float32, (seed, 1), kind)
    m = data((8,), torch.float32, (seed, 2), kind)
    v = data((8,), torch.float32, (seed, 3), kind).abs() + 0.5
    return (x, w, m, v), ()


def program(x, w, m, v):
    y = torch.nn.functional.conv1d(x, w)
    return torch.nn.functional.batch_norm(torch.nn.functional.conv1d(x, w), m, v), torch.nn.functional.batch_norm(y, m, v) + y


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
COMPILE = dict(options={"efficient_conv_bn_eval_fx_passes": True})
