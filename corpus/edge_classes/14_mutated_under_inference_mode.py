# touchstone: 1
# torch: 2.13.0
# note: a leaf mutated and a view of it returned under inference mode
# note: a defect of AOTAutograd when it is called without Dynamo, small: under inference mode eager's view of an input that requires grad requires it too, the compiled one does not
# expect: torch:aot_function Differs/requires_grad/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    x.mul_(2)
    return x.view(-1), x.add(1)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="inference"),
    dict(inputs="inputs", seed=2, grad_mode="inference"),
]
