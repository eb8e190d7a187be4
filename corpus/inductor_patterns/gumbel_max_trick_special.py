# touchstone: 1
# torch: 2.13.0
# note: the same where logits are infinite or NaN. What differs is a defect of Inductor's (docs/findings.md, 14.2)
# fires: apply_gumbel_max_trick/apply_gumbel_max_trick
# expect: torch:inductor Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((16, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    p = torch.nn.functional.softmax(x, dim=-1)
    q = torch.empty_like(x).exponential_(1.0)
    return torch.argmax(p / q, dim=-1, keepdim=True)


CALLS = [
    dict(inputs="inputs", seed=1, kind="special", grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, kind="special", grad_mode="no_grad"),
]
COMPILE = dict(options={"apply_gumbel_max_trick": True})
