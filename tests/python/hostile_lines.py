"""What means harm as it stands, of `hostile_constructs.py`: statements, definitions, COMPILE values, and changes of the whole text. `|` is the
end of a line."""

# Statements of programs as they are.
STATEMENTS = """
return both.__class__.__mro__
return both.__dict__["first"]
return both.__init_subclass__()
return both.__format__("a")
return both.__sizeof__()
return net._modules
return net._forward_hooks
return net.apply(double).__class__
return inner.__closure__
return inner.__defaults__
return functools.partial(inner).func
return functools.partial(inner).keywords
return functools.partial(inner).__setstate__(x)
return Own._make_wrapper_subclass(Own, x.shape)
return both._make_subclass(Own, x)
return torch.Tensor._make_wrapper_subclass(Own, x.shape)
return torch.Tensor._make_wrapper_subclass(Own, **{"size": x.shape, "dtype": x.dtype})
return torch.Generator().__getstate__()
return torch.optim.SGD([x], lr=1.0).register_step_post_hook(double)
return torch.optim.SGD([x], lr=1.0).__setstate__({})
return torch.compile(double, **{"backend": "inductor"})(x)
return torch.compile(double, **{"mode": "max-autotune"}, backend="eager")(x)
return torch.compile(double, **{"options": {"cpp.cxx": "touch CANARY"}}, backend="eager")(x)
return torch.compile(*[double], backend="eager")(x)
return torch.compile(*[double], **{"name": "a"}, backend="eager")(x)
return torch.compile(double, backend="eager:open")(x)
return torch.compile(double, backend="eager", name=1)(x)
return torch.utils.checkpoint.checkpoint(double, x, **{"context_fn": double}, use_reentrant=False)
return torch.utils.checkpoint.checkpoint(double, x, **{"debug": True})
return torch.utils.checkpoint.checkpoint_sequential([double], 1, x, **{"context_fn": double})
return torch.nn.utils.parametrize.register_parametrization(*[net, "__class__", net])
return torch.nn.utils.parametrize.register_parametrization(**{"module": net, "tensor_name": "__class__", "parametrization": net})
return torch.nn.attention.flex_attention.flex_attention(x, x, x, kernel_options={"PARTITION_SIZE": "1; system(0)"})
return torch.nn.attention.flex_attention.flex_attention(x, x, x, kernel_options={"a; system(0)": 1})
return torch.nn.attention.flex_attention.flex_attention(x, x, x, kernel_options=both)
return torch.nn.attention.flex_attention.flex_attention(x, x, x, **{"kernel_options": {"BACKEND": "a"}})
return torch.nn.attention.flex_attention.flex_attention(x, x, x, None, None, None, False, False, {"PARTITION_SIZE": "1; system(0)"})
return torch.nn.attention.flex_attention.flex_attention(*[x, x, x, None, None, None, False, False, {"BACKEND": "a"}])
return torch.nn.attention.flex_attention.create_block_mask(double, 1, 1, 8, 8, _compile=True)
return torch.nn.attention.flex_attention.create_block_mask(double, 1, 1, 8, 8, **{"_compile": True})
return torch.library.custom_op("mine::a", double, mutates_args=())
return torch.library.impl("aten::sin", "CPU", double)
return torch.library.register_kernel("aten::sin", "cpu", double)
return torch.ops.mine.leak(x)
return torch.ops.mine(x)
return torch.utils._pytree.register_pytree_node(Both, double, same)
return torch.utils._pytree._private_register_pytree_node(Both, double, same)
return torch.utils._pytree.treespec_loads("[1, {}]")
return torch.utils._pytree.tree_map_only(object, double, x)
return torch.utils._pytree.tree_map_only(__import__, double, x)
import os as torch
import functools as open
from torch import os
from torch.hub import *
from functools import *
from .. import os
nonlocal open|return x
nonlocal __class__|return x
torch = both|return x
functools = both|return x
isinstance = open|return isinstance("CANARY", "w")
data = open|return data("CANARY", "w")
f = open|return f("CANARY", "w")
f = print|return f("hostile code has run")
for torch in [x]:|    return x
for torch.sin in [double]:|    return x
for both.__class__ in [Net]:|    return x
with torch.no_grad() as torch.sin:|    return x
with torch.no_grad() as both.__class__:|    return x
def torch(y):|    return y|return torch(x)
def f(torch):|    return torch.os|return f(x)
def f(y, /):|    return y|return f(x)
def f(*, y):|    return y|return f(y=x)
def f(**y):|    return y|return f(y=x)
def f(y):|    global SCALE|    SCALE = y|return f(x)
def f(y):|    yield y|return f(x)
def f(y):|    class Inner:|        pass|    return Inner|return f(x)
def f(y):|    import os|    return os|return f(x)
def __class__(y):|    return y|return x
return (lambda torch: torch.os)(x)
return (lambda __import__: __import__("os"))(x)
return (lambda **y: y)(x)
return (lambda: (yield x))()
return [torch for torch in [x]]
return [y for torch.sin in [x]]
return [open := x]
return {open, x}
return {**both}
return f"{x!r}"
return f"{x:{SCALE}}"
return f"{both.__class__.__init__.__globals__}"
return f"{x=}"
return f'{"open"}'
return rb"a"
return Net.weight.fget
return Both.first.__get__(both)
return type(both)
return type(both)(x)
return type(both) is open
return isinstance(both, type)
return isinstance(x, (Both, open))
return issubclass(Both, type(both).__base__)
raise StopIteration(x) from both
raise BaseException("a")
raise GeneratorExit
try:|    raise ValueError(x)|except ValueError as e:|    return e.__traceback__.tb_frame.f_globals
try:|    raise ValueError(x)|except ValueError as e:|    return e.add_note("a")
try:|    raise ValueError(x)|except ValueError as print:|    return x
try:|    return x|except (ValueError, GeneratorExit):|    return x
del torch.sin|return x
del both.__class__|return x
del open|return x
""".strip().splitlines()

# Definitions as they are.
TOP_LEVEL = """
import os
import torch as t
import a as torch
import functools as functools
import torch.os
import torch.utils.data
from torch import *
from typing import *
from functools import partial as open
from dataclasses import sys
from random import _os
import random, sys
LEAK = torch.nn.Linear(3, 3)
LEAK = lambda x: x
LEAK = [x for x in [1]]
LEAK = f"{SCALE}"
LEAK = Both(1)
LEAK: int = 1
LEAK, OTHER = 1, 2
SCALE += 1
torch.sin = double
Net.forward = double
print = 1
sys = 1
staticmethod = 1
functools = 1
_main = 1
__file__ = "CANARY"
def torch(x):|    return x
def data(shape, dtype, seed, kind):|    return shape
def _main(backend):|    return 0
def __build_class__(*rest):|    return rest
def __getattr__(name):|    return name
def isinstance(x, y):|    return True
def getattr(x, y):|    return x
def print(*rest):|    return rest
def globals():|    return x
def all(x):|    return True
def map(f, x):|    return x
def zip(x, y):|    return x
def dict(x):|    return x
def callable(x):|    return x
def enumerate(x):|    return x
def property(x):|    return x
def staticmethod(x):|    return x
def functools(x):|    return x
def sys(x):|    return x
def exit(x):|    return x
class torch:|    pass
class data:|    pass
class int:|    pass
class dict:|    pass
class classmethod:|    pass
class ValueError:|    pass
class Exception:|    pass
class random:|    pass
class __builtins__:|    pass
class CALLS:|    pass
class _main:|    pass
class Leak(type):|    def __call__(cls):|        return cls
class Leak(metaclass=type):|    pass
class Leak(Both, metaclass=Net):|    pass
class Leak(Both, leak=open):|    pass
class Leak(**both):|    pass
class Leak(Leak):|    pass
class Leak(typing.Protocol):|    pass
class Leak(typing.Generic[int]):|    pass
class Leak(functools.partial):|    pass
class Leak(torch.optim.Optimizer):|    pass
class Leak(torch.Generator):|    pass
class Leak(torch.autograd.function.FunctionCtx):|    pass
class Leak(torch.overrides.TorchFunctionMode):|    pass
class Leak(BaseException):|    pass
class Leak:|    torch = 1|    __init__ = 2
class Leak:|    __new__ = 1
class Leak:|    __match_args__ = 1
class Leak:|    py_kernels = 1
class Leak:|    dynamo_ctx = 1
class Leak:|    aot_compile = 1
class Leak:|    def __getattr__(self, name):|        return open
class Leak(torch.nn.Module):|    def __getattr__(self, name):|        return open
class Leak(torch.nn.Module):|    def __setattr__(self, name, value):|        return open
class Leak(torch.nn.Module):|    def __reduce__(self):|        return open, ("CANARY", "w")
class Leak(torch.nn.Module):|    def __setstate__(self, state):|        return state
class Leak(torch.nn.Module):|    def __del__(self):|        return 1
class Leak(torch.Tensor):|    def __reduce_ex__(self, protocol):|        return open, ("CANARY", "w")
class Leak(torch.Tensor):|    def __deepcopy__(self, memo):|        return self
class Leak(torch.Tensor):|    def __getattribute__(self, name):|        return name
class Leak(torch.Tensor):|    def __dlpack__(self):|        return self
class Leak(torch.Tensor):|    def __new__(cls, x):|        return torch.Tensor._make_wrapper_subclass(cls, **{"size": x.shape, "dispatch_sizes_strides_policy": "sizes"})
class Leak(torch.Tensor):|    def __new__(cls, x):|        return torch.Tensor._make_wrapper_subclass(cls, *[x.shape, None, None])
class Leak(torch.Tensor):|    def __new__(cls, x):|        return torch.Tensor._make_wrapper_subclass(cls, x.shape, pin_memory=True)
class Leak(torch.Tensor):|    def __new__(cls, x):|        return cls._make_wrapper_subclass(cls, x.shape)
class Leak(torch.Tensor):|    @classmethod|    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):|        return func.decompose(*args)
class Leak(torch.Tensor):|    @classmethod|    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):|        return func.py_kernels
class Leak(torch.Tensor):|    @classmethod|    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):|        return types[0].mro()
class Leak:|    def __set_name__(self, owner, name):|        return owner
class Leak:|    def __init_subclass__(cls):|        return cls
class Leak:|    def __class_getitem__(cls, item):|        return item
class Leak:|    def __mro_entries__(self, bases):|        return bases
class Leak:|    def __instancecheck__(self, other):|        return True
class Leak:|    def __format__(self, spec):|        return spec
class Leak:|    def __del__(self):|        print("hostile code has run")
class Leak:|    def __copy__(self):|        return self
class Leak:|    def __await__(self):|        return self
class Leak:|    async def leak(self):|        return self
class Leak:|    @property|    @open|    def leak(self):|        return self
class Leak:|    @leak.deleter|    def leak(self):|        return self
class Leak:|    @functools.partial|    def leak(self):|        return self
class Leak:|    @functools.cached_property|    def leak(self):|        return self
class Leak:|    @(lambda f: f)|    def leak(self):|        return self
class Leak:|    @[open][0]|    def leak(self):|        return self
class Leak(typing.NamedTuple):|    __class__: int
class Leak(typing.NamedTuple):|    _fields: int
@dataclasses.dataclass(init=False)|class Leak:|    x: int
@dataclasses.dataclass(unsafe_hash=True)|class Leak:|    x: int
@dataclasses.dataclass(**both)|class Leak:|    x: int
@dataclasses.dataclass|class Leak:|    x: "__import__('os').system('touch CANARY')"
@dataclasses.dataclass|class Leak:|    x: list[open]
@dataclasses.dataclass|class Leak:|    x: list = dataclasses.field(default_factory=lambda: open("CANARY", "w"))
@dataclasses.dataclass|class Leak:|    x: list = dataclasses.field(default_factory=list, metadata=open)
@torch.compile(**{"backend": "inductor"})|def leak(x):|    return x
@torch.compile(**{"mode": "a"}, backend="eager")|def leak(x):|    return x
@torch.compile(*[1], backend="eager")|def leak(x):|    return x
@torch.compile(backend="os:system")|def leak(x):|    return x
@torch.compiler.substitute_in_graph(double)|def leak(x):|    return x
@torch.library.impl("aten::sin", "CPU")|def leak(x):|    return x
@torch.library.register_fake("aten::sin")|def leak(x):|    return x
@torch.library.register_autograd("aten::sin", double)|def leak(x):|    return x
@torch.library.triton_op("mine::leak", mutates_args=())|def leak(x: torch.Tensor) -> torch.Tensor:|    return x
@torch.library.custom_op("aten::leak", mutates_args=())|def leak(x: torch.Tensor) -> torch.Tensor:|    return x
@torch.library.custom_op("torch_mine::leak", mutates_args=())|def leak(x: torch.Tensor) -> torch.Tensor:|    return x
@torch.library.custom_op("load_library::leak", mutates_args=())|def leak(x: torch.Tensor) -> torch.Tensor:|    return x
@torch.library.custom_op("mine::__class__", mutates_args=())|def leak(x: torch.Tensor) -> torch.Tensor:|    return x
@torch.library.custom_op("mine::leak(Tensor x) -> Tensor", mutates_args=())|def leak(x: torch.Tensor) -> torch.Tensor:|    return x
@torch.library.custom_op("mine::leak\\n", mutates_args=())|def leak(x: torch.Tensor) -> torch.Tensor:|    return x
@torch.library.custom_op("mine::a::b", mutates_args=())|def leak(x: torch.Tensor) -> torch.Tensor:|    return x
@torch.library.custom_op("mine::import", mutates_args=())|def leak(x: torch.Tensor) -> torch.Tensor:|    return x
@torch.library.custom_op("os.system::leak", mutates_args=())|def leak(x: torch.Tensor) -> torch.Tensor:|    return x
@torch.library.custom_op("mine::leak", mutates_args="unknown")|def leak(x: torch.Tensor) -> torch.Tensor:|    return x
@torch.library.custom_op("mine::leak", mutates_args=(), device_types="cpu")|def leak(x: torch.Tensor) -> torch.Tensor:|    return x
@torch.library.custom_op("mine::leak", mutates_args=())|def open(x: torch.Tensor) -> torch.Tensor:|    return x
""".strip().splitlines()

# COMPILE and CALLS.
COMPILE = """
dict(backend="hostile_backend:run")
dict(backend=open)
dict(mode="max-autotune")
dict(options=open)
dict(options={"cpp.cxx": "touch CANARY"})
dict(options={"trace.enabled": True})
dict(options={"trace.debug_dir": "CANARY"})
dict(options={"compile_threads": 100000})
dict(options={"autotune_in_subproc": True})
dict(options={"fx_graph_remote_cache": True})
dict(options={"aot_inductor.debug_compile": True})
dict(options={"post_grad_custom_pre_pass": open})
dict(config=open)
dict(config=[1])
dict(config={"inductor.cpp.cxx": "touch CANARY"})
dict(config={"inductor.trace.enabled": True})
dict(config={"inductor.compile_threads": 64})
dict(config={"inductor.post_grad_custom_pre_pass": None})
dict(config={"dynamo.debug_dir_root": "CANARY"})
dict(config={"dynamo.repro_after": "dynamo"})
dict(config={"functorch.cse": open})
dict(config={"functorch.cse": "open('CANARY', 'w')"})
dict(config={"functorch.cse": __import__("os")})
dict(config={"functorch.__class__": 1})
dict(config={"os.environ": 1})
dict(config={"": 1})
dict(config=dict(functorch=1))
dict(**{"config": {}})
dict(fullgraph=open("CANARY", "w"))
dict(dynamic="a")
{"dynamic": True}
open("CANARY", "w")
""".strip().splitlines()

LINE = "    return x\n"
NAME = "a" * 4000

# Of whole texts: what is replaced, and by what.
TEXTS = [
    ("# touchstone: 1\n", "\ufeff# touchstone: 1\n"),
    ("# touchstone: 1\n", "# touchstone: 1\n# note: \0\n"),
    ("# touchstone: 1\n", "# touchstone: 1\n# note: a\ropen('CANARY', 'w')\n"),
    ("# touchstone: 1\n", "# touchstone: 1\n# note: a\x0copen('CANARY', 'w')\n"),
    ("# touchstone: 1\n", "# touchstone: 1\n# note: a\x1b[2J\n"),
    ("# touchstone: 1\n", "# touchstone: 1\n\t# coding: utf-7\n"),
    ("# touchstone: 1\n", "\t# coding: utf-7\n# touchstone: 1\n"),
    ("# touchstone: 1\n", "# touchstone: 1\n \t # -*- coding=utf-7 -*-\n"),
    ("# touchstone: 1\n", "# touchstone: 1\n# note: vim: set fileencoding=utf-7 :\n"),
    ("# touchstone: 1\n", "# touchstone: 1\n# expect: torch:eager open('CANARY', 'w')\n"),
    ("# touchstone: 1\n", '# touchstone: 1\n# expect: torch:eager Differs/values"""; open("CANARY")\n'),
    ("# touchstone: 1\n", '# touchstone: 1\n# expect: torch:eager Differs/values/call 0 output 0"""; open("CANARY")\n'),
    ("# touchstone: 1\n", "# touchstone: 1\n# expect: torch:eager BackendRejected/open\n"),
    ("# touchstone: 1\n", '# touchstone: 1\n# device: cpu"); open("CANARY\n'),
    ("# touchstone: 1\n", "# touchstone: 1; open('CANARY', 'w')\n"),
    ("# touchstone: 1\n", "# touchstone: 1 \N{NO-BREAK SPACE}\n"),
    ("# touchstone: 1\n", "#!/bin/sh\n"),
    ("import torch\n", "import t\N{CYRILLIC SMALL LETTER O}rch\n"),
    ("import torch\n", "import torch; open('CANARY', 'w')\n"),
    ("import torch\n", "import torch \\\n, os\n"),
    ("import torch\n", "import torch\n\n\n\N{FULLWIDTH LATIN SMALL LETTER O}pen('CANARY', 'w')\n"),
    ("def double(x)", "def \N{FULLWIDTH LATIN SMALL LETTER D}ouble(x)"),
    ("def double(x)", "def double(x, \N{LATIN SMALL LETTER LONG S}elf)"),
    ("def double(x)", "def double(x\N{ZERO WIDTH SPACE})"),
    ("def double(x)", "def double\N{RIGHT-TO-LEFT OVERRIDE}(x)"),
    ("class Net", "class \N{MATHEMATICAL BOLD CAPITAL N}et"),
    (LINE, '    return \N{FULLWIDTH LATIN SMALL LETTER O}pen("CANARY", "w")\n'),
    (LINE, '    return \N{MATHEMATICAL ITALIC SMALL E}val("1")\n'),
    (LINE, '    return \N{MODIFIER LETTER SMALL O}pen("CANARY", "w")\n'),
    (LINE, "    return both.\N{FULLWIDTH LOW LINE}\N{FULLWIDTH LOW LINE}class\N{FULLWIDTH LOW LINE}\N{FULLWIDTH LOW LINE}\n"),
    (LINE, "    return both.__cl\N{CYRILLIC SMALL LETTER A}ss__\n"),
    (LINE, "    return x\N{GREEK QUESTION MARK}\n"),
    (LINE, "    return x\N{FULLWIDTH SEMICOLON} open('CANARY', 'w')\n"),
    (LINE, "    return x\N{LINE SEPARATOR}open('CANARY', 'w')\n"),
    (LINE, "    return x\N{NEXT LINE}open('CANARY', 'w')\n"),
    (LINE, "    return x\ropen('CANARY', 'w')\n"),
    (LINE, "    # a\ropen('CANARY', 'w')\n    return x\n"),
    (LINE, "    return x  # a\x0bopen('CANARY', 'w')\n"),
    (LINE, "    return x \0\n"),
    (LINE, "    return '\x7f'\n"),
    (LINE, "\treturn x\n"),
    (LINE, "    return x\n  return open('CANARY', 'w')\n"),
    (LINE, "    return '\\N{LATIN SMALL LETTER A}'\n"),
    (LINE, "    return '\\u0041'\n"),
    (LINE, "    return '\\101'\n"),
    (LINE, "    return '''a'''\n"),
    (LINE, "    return 'a' 'b'\n"),
    (LINE, "    return f'{x' + '}'\n"),
    (LINE, '    return f"{x}" f"{open}"\n'),
    (LINE, '    return f"\\u007bopen\\u007d"\n'),
    (LINE, "    return " + "(lambda: " * 300 + "x" + ")()" * 300 + "\n"),
    (LINE, "    return " + "(lambda y: " * 20000 + "x" + ")" * 20000 + "\n"),
    (LINE, "    return " + "[" * 300 + "x" + " for y in [x]]" * 300 + "\n"),
    (LINE, "    return " + "functools.partial(" * 5000 + "double" + ")" * 5000 + "\n"),
    (LINE, "    return " + "{'a': " * 3000 + "x" + "}" * 3000 + "\n"),
    (LINE, "    return x" + ".double()" * 20000 + "\n"),
    (LINE, "    return x" + "[0]" * 20000 + "\n"),
    (LINE, "    return " + "x if x else " * 20000 + "x\n"),
    (LINE, "    return " + "not " * 5000 + "x\n"),
    (LINE, "    return x" + " ** x" * 5000 + "\n"),
    (LINE, '    return f"{' + "(" * 500 + "x" + ")" * 500 + '}"\n'),
    (LINE, "".join("    " * i + "try:\n" for i in range(1, 300)) + "    " * 300 + "x = 1\n"),
    (LINE, "".join("    " * i + f"def f{i}(y):\n" for i in range(1, 300)) + "    " * 300 + "return y\n"),
    (LINE, "".join("    " * i + "with torch.no_grad():\n" for i in range(1, 300)) + "    " * 300 + "return x\n"),
    (LINE, f"    return {NAME}(x)\n"),
    (LINE, f"    return both.{NAME}\n"),
    (LINE, f"    return torch.{NAME}(x)\n"),
    (LINE, f"    return torch.{'nn.' * 4000}sin(x)\n"),
    (LINE, f"    return x + {'9' * 4000}\n"),
    (LINE, f"    return x, {'__' * 4000}\n"),
    ("CALLS = [\n", "CALLS = open('CANARY', 'w')\nCALLS = [\n"),
    ("CALLS = [\n", "CALLS = [\n    dict(inputs='inputs', between='double'),\n"),
    ("CALLS = [\n", "CALLS = [\n    dict(inputs='inputs', between='open'),\n"),
    ("CALLS = [\n", "CALLS = [\n    dict(inputs='Net'),\n"),
    ("CALLS = [\n", "CALLS = [\n    dict(inputs='__import__'),\n"),
    ("CALLS = [\n", "CALLS = [\n    dict(inputs='inputs', autocast=torch.os),\n"),
    ("CALLS = [\n", "CALLS = [\n    *open('CANARY', 'w'),\n"),
    ("CALLS = [\n", "CALLS = [\n    dict(**{'inputs': 'inputs'}),\n"),
    ("CALLS = [\n", "CALLS = [\n    dict(inputs='inputs', kind=f'{open}'),\n"),
    ("CALLS = [\n", "CALLS = [\n    dict(inputs='inputs', seed=(lambda: open)()),\n"),
    ("CALLS = [\n", "CALLS = [dict(inputs='inputs') for i in range(2)] + [\n"),
]
