# touchstone: 1
# torch: 2.13.0
# note: a convolution in bfloat16, a batch norm in float32. What differs is a defect of Inductor's (docs/findings.md, 14.10)
# fires: efficient_conv_bn_eval/efficient_conv_bn_eval_graph_transform_inlined
# expect: torch:inductor BackendRejected/compile
import torch


def inputs(seed, kind):
    x = data((2, 4, 6, 6), torch.bfloat16, (seed, 0), kind)
    w = data((8, 4, 3, 3), torch.bfloat16, (seed, 1), kind)
    m = data((8,), torch.float32, (seed, 2), kind)
    v = data((8,), torch.float32, (seed, 3), kind).abs() + 0.5
    g = data((8,), torch.float32, (seed, 4), kind).detach().requires_grad_()
    b = data((8,), torch.float32, (seed, 5), kind).detach().requires_grad_()
    return (x, w, m, v, g, b), ()


def program(x, w, m, v, g, b):
    return torch.nn.functional.batch_norm(torch.nn.functional.conv2d(x, w), m, v, g, b)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
COMPILE = dict(options={"efficient_conv_bn_eval_fx_passes": True})
