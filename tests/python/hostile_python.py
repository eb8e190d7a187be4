"""Texts that use what only Python runs, and mean harm: each must be refused where it stands. `files(canaries)` makes case files of them."""

HEAD = """# touchstone: 1
import collections
import dataclasses
import functools
import random
import typing

import torch
import torch.nn.attention.flex_attention
import torch.nn.utils.parametrize
import torch.utils._pytree
import torch.utils.checkpoint

SCALE = 2.0
Pair = collections.namedtuple("Pair", ["left", "right"])


class Held:
    kept = 1

    def __init__(self, x):
        self.left = x

    @property
    def twice(self):
        return self.left * 2

    def total(self):
        return self.left + self.kept


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


def double(x):
    return x * 2


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


"""

TAIL = """

CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8),
]
"""

# Expressions that a program returns; `h` is an object of a class of the file, `g` a function, `e` an exception.
EXPRESSIONS = """
h.__class__
h.__dict__
h.__class__.__mro__
h.__class__.__base__.__subclasses__()
Held.__subclasses__()
Held.__mro__
Held.__dict__["total"]
Held.mro()
type(h).mro()
type(h)
type("A", (), {{}})
type("A", (torch.nn.Module,), {{"forward": double}})
type.__call__(Held, x)
h.total.__func__
h.total.__self__
h.total.__globals__
double.__globals__
double.__code__
double.__closure__
double.__builtins__
double.__defaults__
double.func_globals
functools.partial(double, x).func.__globals__
functools.partial(open, {canary!r})()
functools.partial(eval, "1")()
functools.partial(torch.save, x, {canary!r})()
functools.partial(torch.compile, backend="eager")(double)
functools.reduce(open, [{canary!r}, "w"])
functools.lru_cache(double)
functools.wraps(double)(double)
functools.sys.modules
functools.partial.__new__
functools._convert
collections.sys
collections.abc
collections._sys.modules["os"]
collections.namedtuple("A", "x y", module="os")
collections.namedtuple("A", ["x"])
random._os.system("touch {canary}")
random.Random(1)
random.SystemRandom()
random.seed(open)
random._inst
dataclasses.sys.modules
dataclasses.make_dataclass("A", ["x"])
dataclasses.fields(h)
dataclasses.asdict(h)
typing.sys
typing.get_type_hints(Held)
typing.NamedTuple("A", [("x", int)])
map(open, [{canary!r}])
map(eval, ["1"])
list(map(exec, ["open({canary!r}, 'w')"]))
filter(__import__, ["os"])
sorted(["os"], key=__import__)
sorted([x], key=open)
max([1], key=eval)
zip.__self__
enumerate.__class__
isinstance(x, open)
isinstance(x, type)
isinstance(x, object)
isinstance.__self__.open({canary!r})
issubclass(Held, object)
getattr(h, "total")
getattr(h, "__class__")
setattr(h, "total", open)
hasattr(h, "total")
vars(h)
dir(h)
id(h)
hash(h)
eval("1")
exec("1")
compile("1", "a", "eval")
globals()["open"]
locals()
__builtins__
__import__("os")
__name__
super().__init__()
super(Held, h).total()
super
"{{0.__class__}}".format(h)
"{{0.__class__}}".format_map(Pair(1, 2)._asdict())
f"{{h.__class__}}"
f"{{h!r}}"
f"{{h:>10}}"
f"{{open({canary!r})}}"
f"{{eval}}"
f"{{(lambda: open)()}}"
f'{{h.__init__.__globals__["os"]}}'
e.__traceback__
e.__traceback__.tb_frame
e.tb_frame.f_builtins
e.with_traceback(x)
e.__context__
e.__cause__
h._hidden
h.gi_frame
h.undefined
Pair._fields
Pair._make([1, 2])
Pair._source
h.total.im_func
torch.compile(double)
torch.compile(double, backend="inductor")
torch.compile(double, backend=double)
torch.compile(double, backend=SCALE)
torch.compile(double, backend="eager", options={{"a": 1}})
torch.compile(double, backend="eager", mode="default")
torch.compile(double, **{{"backend": "inductor"}})
torch.compiler.reset()
torch.compiler.set_stance("force_eager")
torch.compiler.save_cache_artifacts()
torch.utils.checkpoint.checkpoint(double, x, context_fn=double, use_reentrant=False)
torch.utils.checkpoint.checkpoint(double, x, debug=True, use_reentrant=False)
torch.utils.checkpoint.os
torch.utils.checkpoint.set_checkpoint_debug_enabled(True)
torch.utils._pytree.importlib
torch.utils._pytree.register_pytree_node(Held, double, double)
torch.utils._pytree.json.loads("1")
torch.utils.data.DataLoader([x], num_workers=4)
torch.utils.cpp_extension.load_inline("a", "b")
torch.utils.model_zoo.load_url("http://a")
torch.utils._python_dispatch.TorchDispatchMode()
torch.ops.load_library({canary!r})
torch.ops.aten
torch.hub.load("a/b", "c")
torch.package.PackageImporter({canary!r})
torch.serialization.add_safe_globals([Held])
torch.func.functionalize.__globals__
torch.func.sys
torch.func.vmap.__wrapped__
torch.nn.utils.parametrize.copyreg
torch.nn.utils.parametrize.register_parametrization(Net(x), "__class__", Net(x))
torch.nn.Module.__subclasses__()
torch.nn.Module.register_forward_hook
torch.nn.modules.module.register_module_forward_hook(double)
torch.nn.Linear
torch.optim.Optimizer([x], {{}})
torch.optim.SGD.__init__
torch.optim.lr_scheduler.LambdaLR(x, open)
torch.Tensor._make_wrapper_subclass(Held, x.shape)
torch.Tensor._make_subclass(Held, x)
torch.Tensor.__torch_function__(double, (), ())
torch.Tensor
torch.Generator.__new__
torch._C._get_tracing_state()
torch._C.DisableTorchFunctionSubclass()
torch._dynamo.optimize(open)(double)
torch._dynamo.disable(double)
torch._higher_order_ops.wrap.wrap(double, x)
torch._higher_order_ops.print("a")
torch.autograd.Function
torch.autograd.graph.saved_tensors_hooks(open, open)
torch.overrides.TorchFunctionMode()
torch.random.fork_rng()
torch.library.custom_op("a::b", double)
torch.export.export(Net(x), (x,))
torch.jit.script(double)
torch.fx.symbolic_trace(double)
program(x)
inputs(1, "grid")
h.total(**open)
print(*[], file=open({canary!r}, "w"))
Held(*__import__("os"))
""".strip().splitlines()

# Statements of a program, each with lines below it if there is `|`.
STATEMENTS = """
import functools
from dataclasses import dataclass
try:|    x = x * 2|except:|    pass
try:|    x = x * 2|except BaseException:|    pass
try:|    x = x * 2|except SystemExit:|    pass
try:|    x = x * 2|except KeyboardInterrupt:|    pass
try:|    x = x * 2|except open as f:|    pass
try:|    x = x * 2|except Exception as torch:|    pass
try:|    x = x * 2|except Exception as __class__:|    pass
try:|    x = x * 2|except* Exception:|    pass
raise x
raise SystemExit(0)
raise KeyboardInterrupt
raise ValueError from x
raise __import__("os").error
raise h
with open({canary!r}, "w") as f:|    pass
with h as torch:|    pass
with torch.no_grad() as __builtins__:|    pass
with torch.profiler.profile() as p:|    p.export_chrome_trace({canary!r})
with torch.autograd.profiler.record_function("a"):|    pass
with torch.autograd.graph.save_on_cpu():|    pass
with torch._C._DisableTorchDispatch():|    pass
with torch.utils._python_dispatch._disable_current_modes():|    pass
h.__class__ = Both
h.__dict__ = x
h._hidden = x
h.gi_frame = x
h.numpy = x
Held.__init__ = double
Held.__getattr__ = double
Held.total.__globals__ = x
torch.nn.Linear.forward = double
torch.nn.Module.weight = x
torch.Tensor.twice = double
type(h).total = double
type(x).twice = double
functools.partial = double
random.random = double
SCALE = 3.0
Held = double
Pair = x
double = open
isinstance(h, Held).__class__
global SCALE
del Held
del SCALE
class Inner:|    pass
@torch.compiler.disable|def inner(y):|    return open
""".strip().splitlines()

# Definitions above a program.
TOP_LEVEL = """
import os
import sys
import builtins
import importlib
import torch.hub
import torch.utils.cpp_extension
import torch.multiprocessing
import functools, os
import functools as torch
import collections.abc
import random as data
from functools import partial
from random import *
LEAK = open({canary!r}, "w")
LEAK = __import__("os")
LEAK = double
LEAK = torch
LEAK = torch.save
LEAK = eval("1")
LEAK = Held(1)
LEAK = functools.partial(open, {canary!r})
LEAK = random.random()
LEAK = [open]
LEAK = {{"a": __builtins__}}
LEAK = collections.namedtuple("LEAK", ["__class__"])
LEAK = collections.namedtuple("LEAK", ["_replace"])
LEAK = collections.namedtuple("LEAK", ["gi_frame", "f_builtins"])
LEAK = collections.namedtuple("LEAK", ["numpy", "tofile"])
LEAK = collections.namedtuple("LEAK", "a b")
LEAK = collections.namedtuple("OTHER", ["a"])
LEAK = collections.namedtuple("LEAK", ["a"], module="os")
__builtins__ = {{}}
__name__ = "__main__"
isinstance = 1
open = 1
class Bad(object):|    pass
class Bad(type):|    pass
class Bad(open):|    pass
class Bad(str):|    pass
class Bad(dict):|    pass
class Bad(torch.nn.Module, metaclass=type):|    pass
class Bad(metaclass=Held):|    pass
class Bad(*[Held]):|    pass
class Bad(torch._ops.OpOverload):|    pass
class Bad(torch.utils._python_dispatch.TorchDispatchMode):|    pass
class Bad(torch.autograd.graph.saved_tensors_hooks):|    pass
class Bad(torch.utils.data.Dataset):|    pass
class Bad(random.Random):|    pass
class Bad(typing.Generic):|    pass
class Bad(Later):|    pass
class Bad:|    __slots__ = ("a",)
class Bad:|    __class__ = Held
class Bad:|    __getattr__ = 1
class Bad:|    __doc__ = "a"
class Bad:|    leak = open
class Bad:|    leak = open({canary!r}, "w")
class Bad:|    leak = double
class Bad:|    leak = eval("1")
class Bad:|    leak: open = 1
class Bad:|    leak: __import__("os") = 1
class Bad:|    leak = lambda self: open
class Bad:|    leak = [open for i in range(1)]
class Bad:|    gi_frame = 1
class Bad:|    f_builtins = 1
class Bad:|    f_globals = 1
class Bad:|    tb_frame = 1
class Bad:|    co_code = 1
class Bad:|    cr_frame = 1
class Bad:|    _private = 1
class Bad:|    numpy = 1
class Bad:|    data_ptr = 1
class Bad:|    storage = 1
class Bad:|    mro = 1
class Bad:|    format = 1
class Bad:|    func = 1
class Bad:|    cell_contents = 1
class Bad:|    py_impl = 1
class Bad:|    x = 1|    x = 2
class Bad:|    open({canary!r}, "w")
class Bad:|    import os
class Bad:|    if True:|        x = 1
class Bad:|    for i in range(1):|        x = i
class Bad:|    class Inner:|        x = 1
class Bad:|    def __getattr__(self, name):|        return name
class Bad:|    def __getattribute__(self, name):|        return name
class Bad:|    def __setattr__(self, name, value):|        pass
class Bad:|    def __delattr__(self, name):|        pass
class Bad:|    def __get__(self, object, type):|        return self
class Bad:|    def __set__(self, object, value):|        pass
class Bad:|    def __set_name__(self, owner, name):|        pass
class Bad:|    def __del__(self):|        pass
class Bad:|    def __reduce__(self):|        return self
class Bad:|    def __reduce_ex__(self, protocol):|        return self
class Bad:|    def __getstate__(self):|        return self
class Bad:|    def __setstate__(self, state):|        pass
class Bad:|    def __init_subclass__(cls):|        pass
class Bad:|    def __class_getitem__(cls, item):|        return item
class Bad:|    def __prepare__(name, bases):|        return name
class Bad:|    def __instancecheck__(self, other):|        return True
class Bad:|    def __subclasshook__(self, other):|        return True
class Bad:|    def __format__(self, spec):|        return spec
class Bad:|    def __index__(self):|        return 1
class Bad:|    def __fspath__(self):|        return self
class Bad:|    def __buffer__(self, flags):|        return flags
class Bad:|    def __missing__(self, key):|        return key
class Bad:|    def __dir__(self):|        return self
class Bad:|    def __private(self):|        return self
class Bad:|    def _private(self):|        return self
class Bad:|    def numpy(self):|        return self
class Bad:|    def gi_frame(self):|        return self
class Bad:|    def tofile(self):|        return open
class Bad:|    def leak(self):|        return self.__class__
class Bad:|    def leak(self):|        return self.__dict__
class Bad:|    def leak(self):|        return super().__getattribute__
class Bad:|    def leak(self):|        return super().__reduce__()
class Bad:|    def leak(self):|        return super().__class__
class Bad:|    def leak(self):|        return super(Held, self).total()
class Bad:|    def leak(self):|        return open({canary!r}, "w")
class Bad:|    def leak(self):|        return __class__
class Bad:|    def leak(self):|        self.gi_frame = 1
class Bad:|    def leak(self):|        self.__class__ = Held
class Bad:|    def leak(self):|        self.numpy = 1
class Bad:|    @open|    def leak(self):|        return self
class Bad:|    @eval|    def leak(self):|        return self
class Bad:|    @functools.wraps(open)|    def leak(self):|        return self
class Bad:|    @functools.cached_property|    def leak(self):|        return self
class Bad:|    @Held|    def leak(self):|        return self
class Bad:|    @property.__class__|    def leak(self):|        return self
class Bad:|    @other.setter|    def leak(self, value):|        pass
class Bad:|    @staticmethod.__get__|    def leak(self):|        return self
class Bad:|    @torch.jit.ignore|    def leak(self):|        return self
class Bad:|    @torch.library.custom_op|    def leak(self):|        return self
class Bad:|    @torch.compile|    def leak(self):|        return self
@open|class Bad:|    pass
@functools.total_ordering|class Bad:|    pass
@dataclasses.dataclass(slots=True)|class Bad:|    x: int
@dataclasses.dataclass(eq=open)|class Bad:|    x: int
@dataclasses.dataclass(open)|class Bad:|    x: int
@dataclasses.dataclass|class Bad:|    x: int = dataclasses.field(default_factory=open)
@dataclasses.dataclass|class Bad:|    x: int = dataclasses.field(default_factory=double)
@dataclasses.dataclass|class Bad:|    x: int = dataclasses.field(metadata=open)
@dataclasses.dataclass|class Bad:|    x: "open"
@dataclasses.dataclass|class Bad:|    x: typing.Any = 1
@torch.jit.script|def bad(y):|    return y
@torch.compile|def bad(y):|    return y
@torch.compile(backend="inductor")|def bad(y):|    return y
@torch.compile(backend=open)|def bad(y):|    return y
@functools.lru_cache|def bad(y):|    return y
@functools.partial(open)|def bad(y):|    return y
@property|def bad(y):|    return y
@double|def bad(y):|    return y
@torch.compiler.disable(reason=open)|def bad(y):|    return y
@torch.compiler.set_stance("force_eager")|def bad(y):|    return y
@torch.no_grad|def bad(y):|    return y
@torch.compiler.disable|LEAK = 1
class Bad(torch.Tensor):|    def __new__(cls, x):|        return torch.Tensor._make_wrapper_subclass(cls, x.shape, data_ptr=1)
class Bad(torch.Tensor):|    def make(cls, x):|        return torch.Tensor._make_wrapper_subclass(cls, x.shape)
class Bad(torch.Tensor):|    def __torch_dispatch__(cls, func, types, args, kwargs):|        return func.py_impl(open)
class Bad(torch.Tensor):|    def __torch_dispatch__(cls, func, types, args, kwargs):|        return func._schema
class Bad(torch.Tensor):|    def __torch_function__(cls, func, types, args, kwargs):|        return func.__globals__
class Bad(torch.Tensor):|    def __torch_function__(cls, func, types, args, kwargs):|        return func.__module__
class Bad(torch.Tensor):|    def __array__(self):|        return self
class Bad(Exception):|    def __str__(self):|        return self.__traceback__
""".strip().splitlines()

PROGRAM = """def program(x):
    h = Held(x)
    g = double
    try:
        y = h.total()
    except ValueError as e:
        return e.args
"""


def case(body, above=""):
    return HEAD + (above + "\n\n\n" if above else "") + PROGRAM + body + TAIL


def good():
    return case("    return y, g(x), Both(x), Pair(x, SCALE)\n")


def files(canaries):
    """(number, text) of each."""
    texts = []
    for expression in EXPRESSIONS:
        texts.append(lambda fill, e=expression: case(f"    return {e.format(**fill)}\n"))
    for statement in STATEMENTS:
        lines = statement.split("|")
        texts.append(lambda fill, ls=lines: case("".join(f"    {line.format(**fill)}\n" for line in ls) + "    return x\n"))
    for definition in TOP_LEVEL:
        text = definition.replace("|", "\n")
        texts.append(lambda fill, t=text: case("    return y\n", t.format(**fill)))
    return [(i, make({"canary": f"{canaries}/python-{i}"})) for i, make in enumerate(texts)]
