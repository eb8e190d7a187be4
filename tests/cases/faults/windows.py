# touchstone: 1
# torch: 2.13.0
# expect: fault:average_counts_padding Differs/values
# expect: fault:dilation_forgotten BackendRejected/forward
# expect: fault:stride_of_window_is_one BackendRejected/forward
# expect: fault:window_rounds_down BackendRejected/forward
import torch


def inputs(seed, kind):
    x = data((1, 2, 5, 5), torch.float32, (seed, 0), kind)
    w = data((2, 2, 2, 2), torch.float32, (seed, 1), kind)
    return (x, w), ()


def program(x, w):
    return torch.nn.functional.conv2d(x, w, stride=2), torch.nn.functional.conv2d(x, w, dilation=2), torch.nn.functional.max_pool2d(x, 2, ceil_mode=True), torch.nn.functional.avg_pool2d(x, 2, padding=1, count_include_pad=False), torch.nn.functional.avg_pool2d(x, 2, ceil_mode=True)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
