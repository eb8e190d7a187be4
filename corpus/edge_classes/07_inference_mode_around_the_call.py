# touchstone: 1
# torch: 2.13.0
# note: a graph compiled under inference mode, whose outputs are inference tensors; one is a view of an input
# note: a defect of AOTAutograd when it is called without Dynamo, small: under inference mode eager's view of an input that requires grad requires it too, the compiled one does not
# expect: torch:aot_function Differs/requires_grad/call 0 output 2
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = x.mul(2)
    return y, y.view(-1), x.view(-1)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="inference"),
    dict(inputs="inputs", seed=2, grad_mode="inference"),
]
