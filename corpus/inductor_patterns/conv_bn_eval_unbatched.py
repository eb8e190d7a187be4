# touchstone: 1
# torch: 2.13.0
# note: a convolution without batch, whose channels stand first. What differs is a defect of Inductor's (docs/findings.md, 14.10)
# fires: efficient_conv_bn_eval/efficient_conv_bn_eval_graph_transform_inlined
# expect: torch:inductor BackendRejected/compile
import torch


def inputs(seed, kind):
    x = data((4, 6, 6), torch.float32, (seed, 0), kind)
    w = data((8, 4, 3, 3), torch.float32, (seed, 1), kind)
    m = data((4,), torch.float32, (seed, 2), kind)
    v = data((4,), torch.float32, (seed, 3), kind).abs() + 0.5
    return (x, w, m, v), ()


def program(x, w, m, v):
    return torch.nn.functional.batch_norm(torch.nn.functional.conv2d(x, w), m, v)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
COMPILE = dict(options={"efficient_conv_bn_eval_fx_passes": True})
