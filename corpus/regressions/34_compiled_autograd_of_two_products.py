# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#119121, #113129: two linear layers, their gradients added up over calls under compiled autograd, of batches of two sizes
# expect: aot_joint Vacuous
# expect: ts Differs/recompiles
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((1, 2), torch.float32, (seed, 0), kind)
    v = data((1, 2), torch.float32, (seed, 1), kind).requires_grad_()
    w = data((2, 1), torch.float32, (seed, 2), kind).requires_grad_()
    return (x, v, w), ()


def inputs_of_a_larger_batch(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind)
    v = data((1, 2), torch.float32, (seed, 1), kind).requires_grad_()
    w = data((2, 1), torch.float32, (seed, 2), kind).requires_grad_()
    return (x, v, w), ()


def program(x, v, w):
    return torch.nn.functional.linear(torch.nn.functional.linear(x, v), w)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], compiled_autograd=True),
    dict(inputs=None, backward=[0], tangent_seed=1, compiled_autograd=True),
    dict(inputs="inputs", seed=2, backward=[0], compiled_autograd=True),
    dict(inputs=None, backward=[0], tangent_seed=2, compiled_autograd=True),
    dict(inputs="inputs_of_a_larger_batch", seed=3, backward=[0], compiled_autograd=True),
    dict(inputs=None, backward=[0], tangent_seed=3, compiled_autograd=True),
    dict(inputs="inputs_of_a_larger_batch", seed=4, backward=[0], compiled_autograd=True),
]
