# touchstone: 1
# torch: 2.13.0
# note: what Inductor looks for as sfdp_pattern_3_half, in torch.float16, with dropout: of its random result only metadata is looked at. What differs is allowed (docs/findings.md, 14.12)
# fires: fuse_attention/sfdp_pattern_3_half_training
# fires: replace_random/replace_random#4
# expect: torch:inductor Differs/state/call 0
import torch


def inputs(seed, kind):
    query = data((2, 4, 8, 16), torch.float16, (seed, 0), kind).detach().requires_grad_()
    key = data((2, 4, 8, 16), torch.float16, (seed, 1), kind).detach().requires_grad_()
    value = data((2, 4, 8, 16), torch.float16, (seed, 2), kind).detach().requires_grad_()
    return (query, key, value), ()


def program(query, key, value):
    y0 = key.transpose(-2, -1)
    y1 = torch.matmul(query, y0)
    y2 = y1.div(2.0)
    y3 = y2.softmax(dim=-1)
    y4 = torch.nn.functional.dropout(y3, p=0.25, training=True, inplace=False)
    y5 = y4.matmul(value)
    return y5 * 0


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
COMPILE = dict(options={"fallback_random": False})
