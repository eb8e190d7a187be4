"""Two hundred small programs with their arguments, on which an honest backend agrees with eager mode."""

import functools

import torch

F = torch.nn.functional

UNARY = "sin cos tan exp log1p abs neg sqrt rsqrt sigmoid tanh relu floor ceil round sign reciprocal square erf expm1 atan sinh cosh logit".split()
BINARY = "add sub mul div maximum minimum atan2 fmod remainder eq ne lt le gt ge hypot copysign".split()
REDUCTIONS = "sum mean prod amax amin var std logsumexp cumsum cumprod argmax argmin any all".split()
ACTIVATIONS = "gelu silu elu selu celu softplus hardswish hardtanh leaky_relu logsigmoid mish softsign tanhshrink relu6".split()
WRITES = "add_ sub_ mul_ div_ copy_ fmod_".split()
VIEWS = {
    "t": lambda x: x.t(), "view": lambda x: x.view(-1), "slice": lambda x: x[1:], "step": lambda x: x[:, ::2], "row": lambda x: x[0],
    "unsqueeze": lambda x: x.unsqueeze(0), "expand": lambda x: x[:1].expand(4, -1), "narrow": lambda x: x.narrow(1, 1, 2),
    "diagonal": lambda x: x.diagonal(), "chunk": lambda x: x.chunk(2), "unbind": lambda x: x.unbind(1), "split": lambda x: x.split(2, 1),
    "select": lambda x: x.select(1, 0), "flatten": lambda x: x.flatten(), "detach": lambda x: x.detach(), "permute": lambda x: x.permute(1, 0),
}


def layouts():
    """Matrices of 4 x 5 in several layouts."""
    return (torch.rand(4, 5), torch.rand(5, 4).t(), torch.rand(4, 10)[:, ::2], torch.rand(6, 7)[1:5, 1:6])


def one(name, x):
    return getattr(torch, name)(x)


def two(name, x, y):
    return getattr(torch, name)(x, y)


def reduced(name, dim, x):
    return getattr(x.gt(0.5) if name in ("any", "all") else x, name)(dim)


def activated(name, x):
    return getattr(F, name)(x) * 2


def written(name, x, y):
    getattr(x, name)(y)
    return x.sin(), x


def viewed(name, x):
    return VIEWS[name](x), VIEWS[name](x * 2)


def written_view(name, x):
    y = x.mul(3)
    view = VIEWS[name](y)
    view = view[0] if isinstance(view, tuple) else view
    view.add_(1)
    return y, view


class Tied(torch.nn.Module):
    """Two names for one parameter, and a buffer that counts."""

    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(5, 5)
        self.second = torch.nn.Linear(5, 5)
        self.second.weight = self.first.weight
        self.register_buffer("count", torch.zeros(()))

    def forward(self, x):
        self.count.add_(1)
        return self.second(torch.relu(self.first(x))), self.count


def modules():
    """Layers, each with its own state."""
    return (torch.nn.Linear(5, 3), torch.nn.BatchNorm1d(5), torch.nn.LayerNorm(5), torch.nn.Dropout(), Tied(), torch.nn.GRUCell(5, 3),
            torch.nn.Sequential(torch.nn.Linear(5, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2)), torch.nn.Linear(5, 3).eval(),
            torch.nn.Bilinear(5, 5, 2) and torch.nn.RMSNorm(5), torch.nn.PReLU())


def odd():
    """Programs of other shapes: containers, numbers, aliasing, random numbers, exceptions inside."""
    x, shared = torch.rand(4, 5), torch.rand(12)
    grown = torch.rand(4, 5, requires_grad=True)
    yield lambda d: {"a": d["a"] + 1, "b": [d["b"], 3, "text", None]}, ({"a": x, "b": torch.rand(2)},)
    yield lambda a, b: (a.mul_(2), b.add(1)), (shared[:8], shared[4:])
    yield lambda a, b: (a.mul_(2), b), (shared[:6], shared[6:])
    yield lambda a, b: (a is b, a + b), (x, x)
    yield lambda a, n: a * n + a.shape[0], (x, 3)
    yield lambda a: (torch.rand(3) + a[0, :3], torch.randn_like(a)), (x,)
    yield lambda a: (a, a), (x,)
    yield lambda a: [a + 1] * 2, (x,)
    yield lambda a: a.clone(), (grown,)
    yield lambda a: a.mul(2), (grown * 1,)
    yield lambda a: a.nonzero(), (x > 0.5,)
    yield lambda a: a.sum().item() + a, (x,)
    yield lambda a: torch.where(a > 0, a, torch.nan), (x - 0.5,)
    yield lambda a: a.to(torch.bfloat16).float(), (x,)
    yield lambda a: a + 1j, (x,)
    yield lambda a: a.conj() * 2, (torch.randn(3, dtype=torch.complex64),)
    yield lambda a, *, scale=2: a * scale, (x,)


def programs():
    """Pairs (program, arguments)."""
    kinds = layouts()
    made = [(functools.partial(one, name), (kinds[n % 4] * 0.9 + 0.05,)) for n, name in enumerate(UNARY)]
    made += [(functools.partial(one, name), (kinds[n % 4].detach().clone().requires_grad_(),)) for n, name in enumerate(UNARY)]
    made += [(functools.partial(two, name), (kinds[n % 4], torch.rand(5) + 0.1)) for n, name in enumerate(BINARY)]
    made += [(functools.partial(reduced, name, dim), (kinds[dim + 1],)) for name in REDUCTIONS for dim in (0, 1)]
    made += [(functools.partial(activated, name), ((kinds[n % 4] - 0.5).requires_grad_(),)) for n, name in enumerate(ACTIVATIONS)]
    made += [(functools.partial(written, name), (each.clone() if n % 2 else each, torch.rand(4, 1) + 0.5))
             for name in WRITES for n, each in enumerate(kinds)]
    made += [(functools.partial(viewed, name), (torch.rand(4, 5),)) for name in VIEWS]
    made += [(functools.partial(written_view, name), (torch.rand(4, 5),)) for name in VIEWS if name not in ("expand", "unbind", "chunk", "split")]
    made += [(module, (torch.rand(4, 5),)) for module in modules()]
    made += list(odd())
    made += [(functools.partial(one, name), (torch.rand(3, 4).to(dtype),)) for name in ("sin", "abs", "neg", "relu", "square")
             for dtype in (torch.float64, torch.bfloat16, torch.float16, torch.int64)]
    return made
