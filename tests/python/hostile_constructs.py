"""Texts that mean harm with the newer words of the language: own modules and tensors, closures, lambdas, decorators, functions that take
functions, flags. `files(canaries)` makes more than 500 of them, each other than all others; each must be refused where it stands.

A payload is an expression that leaves a canary or reaches for what is none of a case's business; a slot is a place where a case file may have an
expression. What is no expression stands in `hostile_lines.py`."""

from hostile_lines import COMPILE, LINE, STATEMENTS, TEXTS, TOP_LEVEL

HEAD = """import collections
import dataclasses
import functools
import random
import typing

import torch
import torch.nn.attention.flex_attention
import torch.nn.utils.parametrize
import torch.utils._pytree
import torch.utils.checkpoint
import torch._higher_order_ops

SCALE = 2.0


class Point(typing.NamedTuple):
    left: torch.Tensor
    right: float = 1.0


@dataclasses.dataclass
class Both:
    first: torch.Tensor
    second: float = 1.0


class Net(torch.nn.Module):
    def __init__(self, w):
        super().__init__()
        self.weight = torch.nn.Parameter(w)

    def forward(self, x):
        return x * self.weight


class Own(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return super().__torch_function__(func, types, args, {})


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * 2

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.n = 2

    @staticmethod
    def backward(ctx, g):
        return g * ctx.n


def double(x):
    return x * 2


def same(x):
    return x


"""

PROGRAM = """def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    net = Net(x)
    both = Both(x)

    def inner(y, by=2):
        return y * by + x

"""

TAIL = """

{compile}CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8),
]
"""

# `CANARY` stands for the path of the file that tells.
PAYLOADS = """
open("CANARY", "w")
eval("open('CANARY', 'w')")
exec("open('CANARY', 'w')")
__import__("os").system("touch CANARY")
compile("open('CANARY', 'w')", "a", "exec")
open
eval
exec
__import__
getattr(torch, "save")(x, "CANARY")
setattr(torch, "sin", open)
vars(torch)["os"].system("touch CANARY")
globals()["__builtins__"]
locals()
breakpoint()
input()
type("A", (), {})
print.__self__.open("CANARY", "w")
len.__self__.eval("1")
double.__globals__["__builtins__"]
double.__code__
double.__class__
(lambda: 0).__globals__
().__class__.__mro__[1].__subclasses__()
"".__class__.__base__
[].__reduce__()
Net.__init__.__globals__["torch"].os.system("touch CANARY")
Net.__subclasses__()
Both.__dataclass_fields__
Point.__getattribute__
Own.__torch_dispatch__
Twice.apply.__self__
torch.save(torch.ones(1), "CANARY")
torch.load("CANARY")
torch.os.system("touch CANARY")
torch.sys.modules["os"].system("touch CANARY")
torch.builtins.open("CANARY", "w")
torch._sources.inspect.os.system("touch CANARY")
torch.serialization.os.system("touch CANARY")
torch.hub.load("CANARY", "a", source="local")
torch.jit.load("CANARY")
torch.export.load("CANARY")
torch.fx.wrap("open")
torch.package.PackageImporter("CANARY")
torch.multiprocessing.Process(target=double).start()
torch.distributed.init_process_group("gloo")
torch.cuda.memory._dump_snapshot("CANARY")
torch.library.define("a::b", "() -> ()")
torch.ops.load_library("CANARY")
torch.ops.mine.__loader__
torch.ops.import_module("os")
torch.ops.__class__
torch.classes.load_library("CANARY")
torch.compiler.load_cache_artifacts(x)
torch.compile(double, backend="hostile_backend:run")
torch.compile(double, backend="inductor", options={"cpp.cxx": "touch CANARY"})
torch.Generator.__reduce__
torch.Generator().__reduce_ex__(2)
torch.sin.__self__
torch.nn.functional.importlib.import_module("os")
torch.nn.Module.__init__.__globals__
torch.optim.Optimizer.__init__.__globals__
torch.optim.sys
torch.func.vmap.__globals__
torch._higher_order_ops.cond.sys
torch._dynamo.utils.os.system("touch CANARY")
torch.utils._pytree.importlib.import_module("os")
torch.utils._pytree.functools
torch.utils.cpp_extension.load_inline("a", "CANARY")
torch.utils.checkpoint.os.system("touch CANARY")
torch.utils.data.DataLoader([x], num_workers=4)
torch.testing._internal
torch.profiler.profile
functools.os.system("touch CANARY")
functools.singledispatch(open)
functools.partial(open, "CANARY", "w")()
functools.partial(print.__self__.open, "CANARY", "w")()
random._os.system("touch CANARY")
random.Random.__reduce__
dataclasses.sys.modules["os"].system("touch CANARY")
dataclasses.inspect.os.system("touch CANARY")
dataclasses.make_dataclass("A", [], namespace={"__init__": open})
typing.sys.modules["os"].system("touch CANARY")
typing.get_type_hints(Both)
collections._sys.modules["os"].system("touch CANARY")
collections.namedtuple("A", "x", module="os")
list(map(eval, ["open('CANARY', 'w')"]))
sorted(["os"], key=__import__)
torch.utils._pytree.tree_map(open, ["CANARY"])
f"{open('CANARY', 'w')}"
f"{double.__globals__}"
"{0.__globals__}".format(double)
object.__subclasses__()
super().__reduce__()
""".strip().splitlines()
PLAIN = 4  # the first ones leave their canary in any Python

# In a program, `??` for the payload.
BODIES = """
return inner(??)
return (lambda y: ??)(x)
return (lambda y, by=??: y)(x)
return (lambda *rest: rest)(??)
return [?? for y in [x]]
return [y for y in [??]]
return [y for y in [x] if ??]
return {k: ?? for k in ["a"]}
return sum(?? for y in [x])
return {"a": ??}
return functools.partial(??)
return functools.partial(double, ??)
return functools.partial(double, x=??)()
return functools.reduce(??, [x, x])
return torch.utils._pytree.tree_map(??, [x])
return torch.utils._pytree.tree_map(double, ??)
return torch.utils._pytree.tree_unflatten([x], ??)
return torch.func.grad(??)(x)
return torch.func.vmap(double, in_dims=??)(x)
return torch.func.functional_call(net, ??, (x,))
return torch.cond(x.sum() > 0, ??, double, (x,))
return torch.while_loop(same, double, (??,))
return torch._higher_order_ops.scan(??, x, x)
return torch._higher_order_ops.map(??, x)
return torch.utils.checkpoint.checkpoint(??, x, use_reentrant=False)
return torch.utils.checkpoint.checkpoint(double, x, use_reentrant=??)
return torch.compile(??, backend="eager")(x)
return torch.compiler.disable(??)(x)
return torch.optim.SGD([x], lr=??)
return torch.optim.Adam(??)
return torch.Generator(??)
return torch.nn.Sequential(net, ??)(x)
return torch.nn.attention.flex_attention.flex_attention(x, x, x, score_mod=??)
return Both(??)
return Both(x, second=??)
return dataclasses.replace(both, second=??)
return Point(x, ??)._replace(left=x)
return Twice.apply(??)
return net(??)
return isinstance(x, ??)
return list(map(??, [x]))
return sorted([x], key=??)
return max([x, x], key=??)
return f"{??}"
return double(*??)
return inner(**??)
return random.choice(??)
return x if ?? else x
return both.first[??]
y = x * ??|return y
x[??] = 1|return x
net.scale = ??|return x
both.second += ??|return x
y, *rest = ??|return y
for y in ??:|    x = y|return x
while ??:|    x = x * 2|return x
with torch.autograd.graph.saved_tensors_hooks(double, ??):|    return x * 2
with torch.set_grad_enabled(??):|    return x * 2
with torch.no_grad(), ??:|    return x * 2
with ?? as y:|    return x * 2
x.register_hook(??)|return x
net.register_forward_hook(??)|return net(x)
net.register_buffer("kept", ??)|return net(x)
torch.nn.utils.parametrize.register_parametrization(net, "weight", ??)|return net(x)
raise ValueError(??)
raise ??
try:|    return x * 2|except ??:|    return x
try:|    return ??|finally:|    x = x * 2
try:|    raise ValueError("a", ??)|except ValueError as e:|    return e.args[1]
assert x.sum() > 0, ??|return x
def f(y, by=??):|    return y|return f(x)
def f(y):|    nonlocal x|    x = ??|    return y|return f(x)
def f(y):|    return ??|return f(x)
def f(*rest):|    return rest|return f(x, *??)
print(x, file=??)|return x
""".strip().splitlines()

# Above the program.
DEFINITIONS = """
LEAK = ??
LEAK = [1, ??]
LEAK = {"a": ??}
LEAK = torch.tensor([??])
LEAK = collections.namedtuple("LEAK", [??])
class Leak:|    leak = ??
class Leak:|    leak: ?? = 1
class Leak(??):|    pass
class Leak(torch.nn.Module, ??):|    pass
class Leak(typing.NamedTuple):|    leak: int = ??
class Leak(typing.NamedTuple):|    leak: ??
@dataclasses.dataclass|class Leak:|    leak: int = ??
@dataclasses.dataclass|class Leak:|    leak: ??
@dataclasses.dataclass|class Leak:|    leak: list = dataclasses.field(default_factory=??)
@dataclasses.dataclass|class Leak:|    leak: int = dataclasses.field(default=??)
@dataclasses.dataclass(frozen=??)|class Leak:|    leak: int
@??|class Leak:|    pass
class Leak:|    @property|    def leak(self):|        return ??
class Leak:|    @staticmethod|    def leak():|        return ??
class Leak:|    @classmethod|    def leak(cls):|        return ??
class Leak:|    @??|    def leak(self):|        return 1
class Leak:|    def __init__(self, x=??):|        self.left = x
class Leak:|    def __init__(self):|        self.left = ??
class Leak:|    def __call__(self):|        return ??
class Leak:|    def __enter__(self):|        return ??
class Leak:|    def __add__(self, other):|        return ??
class Leak:|    def __iter__(self):|        return iter(??)
class Leak:|    def __str__(self):|        return str(??)
class Leak:|    def __hash__(self):|        return hash(??)
class Leak(torch.nn.Module):|    def forward(self, x):|        return ??
class Leak(torch.nn.Module):|    def __init__(self):|        super().__init__(??)
class Leak(torch.Tensor):|    def __new__(cls, x):|        return torch.Tensor._make_wrapper_subclass(cls, x.shape, dtype=??)
class Leak(torch.Tensor):|    @classmethod|    def __torch_function__(cls, func, types, args=(), kwargs=None):|        return ??
class Leak(torch.Tensor):|    @classmethod|    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):|        return func(*??)
class Leak(torch.Tensor):|    def __tensor_flatten__(self):|        return ["left"], ??
class Leak(torch.autograd.Function):|    @staticmethod|    def forward(x):|        return ??|    @staticmethod|    def setup_context(ctx, inputs, output):|        pass|    @staticmethod|    def backward(ctx, g):|        return g
class Leak(torch.autograd.Function):|    @staticmethod|    def forward(x):|        return x|    @staticmethod|    def setup_context(ctx, inputs, output):|        ctx.n = ??|    @staticmethod|    def backward(ctx, g):|        return g
class Leak(torch.autograd.Function):|    @staticmethod|    def forward(ctx, x):|        return x|    @staticmethod|    def backward(ctx, g):|        return ??
class Leak(torch.autograd.Function):|    @??|    def forward(ctx, x):|        return x
class Leak(Exception):|    def __init__(self, text):|        super().__init__(??)
def leak(x, by=??):|    return x
def leak(x: ??):|    return x
def leak(x) -> ??:|    return x
def leak(x) -> list[??]:|    return x
def leak(*rest):|    return ??
@??|def leak(x):|    return x
@torch.compile(backend=??)|def leak(x):|    return x
@torch.compile(backend="eager", fullgraph=??)|def leak(x):|    return x
@torch.compiler.disable(??)|def leak(x):|    return x
@torch.library.custom_op(??, mutates_args=())|def leak(x: torch.Tensor) -> torch.Tensor:|    return x * 2
@torch.library.custom_op("mine::leak", mutates_args=??)|def leak(x: torch.Tensor) -> torch.Tensor:|    return x * 2
@torch.library.custom_op("mine::leak", mutates_args=(), schema=??)|def leak(x: torch.Tensor) -> torch.Tensor:|    return x * 2
@torch.library.custom_op("mine::leak", mutates_args=())|def leak(x: torch.Tensor, by: int = ??) -> torch.Tensor:|    return x * 2
@torch.library.custom_op("mine::leak", mutates_args=())|def leak(x: ??) -> torch.Tensor:|    return x * 2
@torch.library.custom_op("mine::leak", mutates_args=())|def leak(x: torch.Tensor) -> ??:|    return x * 2
@torch.library.custom_op("mine::leak", mutates_args=())|def leak(x: torch.Tensor) -> torch.Tensor:|    return ??
@torch.library.custom_op("mine::leak", mutates_args=())|def leak(x: torch.Tensor) -> torch.Tensor:|    return x * 2|||@leak.register_fake|def _(x):|    return ??
""".strip().splitlines()

TIMES = 2  # that each slot is filled


def case(body="    return x\n", above="", compile_spec=""):
    definition = above + "\n\n\n" if above else ""
    spec = f"COMPILE = {compile_spec}\n" if compile_spec else ""
    return "# touchstone: 1\n" + HEAD + definition + PROGRAM + body + TAIL.format(compile=spec)


def lines(text, indent=""):
    return "".join(f"{indent}{line}\n" if line else "\n" for line in text.split("|"))


def in_body(text):
    return case(lines(text, "    "))


def above_program(text):
    return case(above=lines(text).rstrip("\n"))


def filled():
    """Each slot with some payloads, each payload in some slots."""
    slots = [(in_body, body) for body in BODIES] + [(above_program, definition) for definition in DEFINITIONS]
    for index in range(TIMES * len(slots)):
        place, slot = slots[index % len(slots)]
        yield place(slot.replace("??", PAYLOADS[index % len(PAYLOADS)], 1))


def replaced(old, new):
    head, found, tail = case().rpartition(old) if old == LINE else case().partition(old)
    assert found, old
    return head + new + tail


def good():
    """All the words above, and no harm."""
    return case("    return inner(x), both, net(x), Twice.apply(x)\n")


def files(canaries):
    """(number, text) of each."""
    texts = list(filled())
    texts += [in_body(statement) for statement in STATEMENTS]
    texts += [above_program(definition) for definition in TOP_LEVEL]
    texts += [case(compile_spec=spec) for spec in COMPILE]
    texts += [replaced(old, new) for old, new in TEXTS]
    assert len(set(texts)) == len(texts)
    return [(i, text.replace("CANARY", f"{canaries}/constructs-{i}")) for i, text in enumerate(texts)]
