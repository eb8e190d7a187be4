# touchstone: 1
# torch: 2.13.0
# note: clamp with bounds as keywords, squeeze of several dimensions, concat
# inductor: normalization_pass
# fires: split_cat/normalize_cat_default
# fires: split_cat/normalize_clamp_default
# fires: split_cat/normalize_clamp_default#2
# fires: split_cat/normalize_squeeze_default
# fires: split_cat/normalize_stack_default
import torch


def inputs(seed, kind):
    x = data((1, 4, 1), torch.float32, (seed, 0), kind)
    y = data((1, 4, 1), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return x.clamp(max=0.5), torch.clamp(x, 0.25, 1), x.squeeze(0, 2), x.squeeze((0, 2)), x.squeeze(), torch.concat([x, y], axis=-1), torch.stack([x, y], 1)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
