# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: a result that depends on nothing that requires grad comes to require grad, because it is differentiated together with one that does.
# note: in plain Python: script `return x + 1, torch.log_softmax(y, 1).logsumexp(1, True)` with x that requires grad and y that does not: the second result requires grad from the second run on.
# expect: torch:aot_function Unsupported
# expect: ts Differs/requires_grad/call 1 output 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    m = torch.nn.Module()
    m.weight = torch.nn.Parameter(data((1,), torch.float32, (seed, 1), kind))
    m.register_buffer("n", data((1,), torch.float32, (seed, 1), kind))
    return (m,), ()


def program(m):
    p0 = m.weight
    p1 = m.n
    y0 = torch.ger(p1, p1)
    y4 = torch.nn.functional.silu(p0)
    y18 = torch.addmm(y0, y0, y0)
    y20 = torch.log_softmax(y18, 0)
    return y20, y4


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
]
