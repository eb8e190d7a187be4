"""Case files that mean harm: `hostile_files.py SEED COUNT FOLDER TEMPLATE CANARIES`.

TEMPLATE is a good case file as Touchstone prints it. Files `refuse-*.py` must be refused when they are read; files
`bomb-*.py` are within the language and want more time or memory than there is. Whatever would be run of the first kind
leaves a file in the folder CANARIES.
"""

import pathlib
import random
import sys

# Code that would leave a canary, or read what is none of a case's business, as an expression in a program.
EXPRESSIONS = """
open({canary!r}, "w")
__import__("os").system("touch {canary}")
eval("open({canary!r}, 'w')")
exec("open({canary!r}, 'w')")
compile("open({canary!r}, 'w')", "a", "exec")
getattr(torch, "save")(x, {canary!r})
torch.save(x, {canary!r})
torch.load({canary!r})
torch.from_file({canary!r}, True, 10)
torch.ops.aten.from_file({canary!r}, True, 10)
torch.ops.aten.from_file.default({canary!r}, True, 10)
torch.ops.load_library({canary!r})
torch.classes.load_library({canary!r})
torch.jit.load({canary!r})
torch.jit.save(x, {canary!r})
torch.hub.load("a/b", "c")
torch.serialization.load({canary!r})
torch.utils.cpp_extension.load("a", [{canary!r}])
torch.os.system("touch {canary}")
torch.sys.exit(0)
torch.multiprocessing.spawn(x)
torch.distributed.init_process_group("gloo")
torch.storage.UntypedStorage.from_file({canary!r}, True, 10)
torch.compile(x)
torch._C._jit_set_profiling_mode(True)
torch._dynamo.reset()
torch.set_default_device("meta")
torch.library.Library("a", "DEF")
torch.cuda.memory._snapshot()
torch.tensor(0).__class__.__bases__[0].__subclasses__()
x.__class__
x.__reduce__()
x.data_ptr()
x.numpy().tofile({canary!r})
x.untyped_storage().resize_(10)
x.storage()
x.share_memory_()
x.apply_(open)
x.map_(x, open)
x.register_hook(open)
x.register_hook(eval)
program.__globals__["__builtins__"]
globals()
locals()
vars()
input()
breakpoint()
help()
setattr(torch, "sin", open)
delattr(torch, "sin")
hasattr(torch, "sin")
type(x)
object
torch.nn.Module().__init__()
torch.nn.utils.parametrize.register_parametrization(x, "a", x)
(lambda: open({canary!r}, "w"))()
[open(name, "w") for name in [{canary!r}]]
(y := open({canary!r}, "w"))
f"{{open({canary!r}, 'w')}}"
x.format(open)
"{{0.__class__}}".format(x)
"a".join(["b"])
b"a"
await x
yield x
x @ open
print("a", file=open({canary!r}, "w"))
super().sin()
1 < 2 < 3
1_000_000_000_000_000_000_000
99999999999999999999999999
0x{f}
...{dots}
""".strip().splitlines()

STATEMENTS = """
import os
import os as torch
from os import system
from torch import load
global torch
nonlocal x
torch.sin = open
torch = open
x.__class__ = torch.nn.Module
x._backward_hooks = {{}}
CALLS = []
raise x
assert open({canary!r}, "w")
try: open({canary!r}, "w")
async def f(): pass
class Foreign: pass
def program(x): return open({canary!r}, "w")
with open({canary!r}, "w"): pass
with torch.profiler.profile(): pass
lambda: 0
exec "1"
match x: pass
type A = int
del torch
@open
x; open({canary!r}, "w")
""".strip().splitlines()

TOP_LEVEL = """
import os; os.system("touch {canary}")
import os
from os import *
open({canary!r}, "w")
torch.save(torch.ones(1), {canary!r})
X = open({canary!r}, "w")
if True: open({canary!r}, "w")
for i in [open({canary!r}, "w")]: pass
class Foreign(torch.autograd.Function): open({canary!r}, "w")
class Foreign(torch.nn.Module): x = open({canary!r}, "w")
def torch(x): return x
def data(shape, dtype, seed, kind): open({canary!r}, "w")
def helper(x=open({canary!r}, "w")): return x
def helper(x: open({canary!r}, "w")): return x
def helper(x) -> open({canary!r}, "w"): return x
@open({canary!r}, "w")
__builtins__ = None
COMPILE = dict(options={{"cpp.cxx": "touch {canary}"}})
COMPILE = dict(backend="inductor")
COMPILE = dict(dynamic=open({canary!r}, "w"))
# -*- coding: utf-7 -*-
# touchstone: 2
""".strip().splitlines()

CLASS = '''class SavesInput(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x * 2
'''

# Programs that are within the language: what they return, or `x` and statements that come before.
BOMBS = [
    "torch.empty(10**12)",
    "torch.zeros(10**6, 10**6)",
    "torch.ones(2**62)",
    "torch.full((10**10,), 1.5)",
    "torch.arange(10**11)",
    "torch.eye(10**6)",
    "x.repeat(10**5, 10**5)",
    "x.expand(10**9, 2, 3).clone()",
    "torch.outer(torch.ones(10**6), torch.ones(10**6))",
    "torch.linspace(0, 1, 10**11)",
    "torch.zeros(1).resize_(10**11)",
    "torch.empty_strided((10,), (10**11,))",
    "torch.nn.functional.pad(x, (0, 10**11))",
    "torch.nn.functional.one_hot(torch.ones(2, dtype=torch.int64), 10**11)",
    "torch.bincount(torch.full((1,), 10**11))",
    "torch.repeat_interleave(x, 10**11)",
    "torch.randint(0, 2, (10**11,))",
    "[0] * 10**12",
    "(0, 1) * 10**12",
    "list(range(10**12))",
    "tuple(range(10**12))",
    "\"a\" * 10**12",
    "torch.zeros([1] * 10**9)",
    "torch.as_strided(x, (10,), (1,), 10**15)",
    "x.view(2**62, -1)",
    "9**9**9**9",
    "1 << 10**10",
    "data((10**9,), torch.float32, (0, 0), \"grid\")",
    "x\n    while True:\n        x = torch.sin(x)",
    "x\n    for i in range(10**18):\n        pass",
    # Values of Python that grow: nothing of the memory's size is made before the limit is told.
    "x\n    y = [x]\n    while True:\n        y.append(y)",
    "x\n    y = [x]\n    for i in range(100):\n        y = y + y",
    "x\n    y = [x]\n    for i in range(100):\n        y += y",
    "x\n    y = [x]\n    for i in range(100):\n        y *= 2",
    "x\n    y = [x]\n    for i in range(100):\n        y.extend(y)",
    "x\n    y = [x]\n    for i in range(100):\n        y[0:0] = y",
    "x\n    y = [x]\n    for i in range(100):\n        y = [*y, *y]",
    "x\n    y = (x,)\n    for i in range(100):\n        y = y + y",
    "x\n    y = (x,) * 1000000\n    z = y * 1000000",
    "x\n    y = x.shape\n    for i in range(100):\n        y = y + y",
    "x\n    y = \"ab\"\n    for i in range(100):\n        y = y + y",
    "x\n    y = \"ab\"\n    for i in range(100):\n        y = y * 2",
    "x\n    y = \"a\" * 9999\n    z = [y] * 1000000",
    "x\n    y = []\n    while True:\n        y.append(\"a\" * 9999)",
    "x\n    y = []\n    while True:\n        y.append(list(range(1000)))",
    "x\n    y = {}\n    z = \"a\"\n    while True:\n        z = z + \"a\"\n        y[z] = z",
    "x\n    y = torch.zeros(100000000).tolist()",
    "x\n    for t in torch.zeros(1).expand(1000000000):\n        pass",
    "x\n    y = [*torch.zeros(1).expand(1000000000)]",
    # Shared references: cheap to make, endless where they are walked.
    "x\n    y = [x]\n    for i in range(100):\n        y = [y, y]",
    "x\n    y = (x,)\n    for i in range(100):\n        y = (y, y)",
    "x\n    y = {\"a\": x}\n    for i in range(100):\n        y = {\"a\": y, \"b\": y}",
    "x\n    y = [x]\n    for i in range(99000):\n        y = [y]",
    "x\n    y = [x]\n    y.append(y)",
    "x\n    a = [1]\n    b = [1]\n    for i in range(100):\n        a = [a, a]\n        b = [b, b]\n    y = a == b",
    "x\n    a = [1]\n    b = [1]\n    a.append(a)\n    b.append(b)\n    y = a == b",
    "x\n    a = [1]\n    for i in range(100):\n        a = [a, a]\n    y = torch.tensor(a)",
    "x\n    a = [x]\n    for i in range(60):\n        a = [a, a]\n    y = torch.stack(a)",
    "x\n    a = [x]\n    for i in range(60):\n        a = [a, a]\n    y = x[a]",
    "x\n    a = [1]\n    for i in range(100):\n        a = [a, a]\n    y = x + a",
    # Numbers and texts that would be huge.
    "1 << 10**9",
    "10 ** 10 ** 9",
    "3 ** 10**18",
    "\"%1000000000d\" % 5",
    "\"a\" * 10**9",
    "int(\"9\" * 100000)",
    # Tensors that double.
    "x\n    for i in range(100):\n        x = torch.cat([x, x])",
    "x\n    for i in range(100):\n        x = x.repeat(2, 2)",
    "x\n    y = []\n    while True:\n        y.append(torch.ones(10000000))",
    "torch.zeros(10**12)",
    "torch.zeros(10**9, dtype=torch.float64)",
]


def with_program(template, body):
    """The template without its `__main__` part and with this body of `program`."""
    head = template.partition("\n\n\nif __name__")[0]
    begin = head.index("def program(")
    begin = head.index("\n", begin) + 1
    end = head.index("\n\n\nCALLS")
    return head[:begin] + body + head[end:] + "\n"


def with_inputs(template, value):
    return with_program(template, "    return x\n").replace(
        "    x = data((2, 3), torch.float32, (seed, 0), kind)", f"    x = {value}"
    )


def altered(draw, text, lines):
    """`text` with one character of these lines replaced."""
    begin = text.index(lines)
    while True:
        place = begin + draw.randrange(len(lines))
        letter = draw.choice("abcxyz019()[]{}=+-*/.,:_ ")
        if not text[place].isspace() and text[place] != letter and letter != " ":
            return text[:place] + letter + text[place + 1 :]


def refused(draw, template, canary):
    """One file that must be refused, with the name of its kind."""
    fill = {"canary": canary, "f": "f" * draw.randrange(17, 4000), "dots": "." * draw.randrange(1, 9)}
    head = template.partition("\n\n\nif __name__")[0] + "\n"
    kind = draw.choice(
        "expression expression expression statement statement top top preamble main main appended class "
        "nested blocks truncated junk bytes recursion argument calls long encoding nul".split()
    )
    if kind == "expression":
        expression = draw.choice(EXPRESSIONS).format(**fill)
        form = draw.choice(["{}", "torch.sin(x), {}", "torch.add(x, {})", "[{}]", "x if True else {}", '{{"a": {}}}'])
        return kind, with_program(template, "    return " + form.format(expression) + "\n")
    if kind == "statement":
        return kind, with_program(template, "    " + draw.choice(STATEMENTS).format(**fill) + "\n    return x\n")
    if kind == "top":
        line = draw.choice(TOP_LEVEL).format(**fill)
        place = draw.choice(["import torch\n", "\n\n\ndef program("])
        if line.startswith("#"):
            return kind, line + "\n" + head.partition("\n")[2] if "touchstone" in line else line + "\n" + head
        return kind, head.replace(place, f"\n{line}\n{place}" if place[0] == "\n" else f"{place}{line}\n", 1)
    if kind == "preamble":
        preamble = template[template.index("def data(") : template.index("def inputs(")].rstrip()
        return kind, altered(draw, template, preamble)
    if kind == "main":
        part = template[template.index('if __name__ == "__main__":') :].rstrip()
        return kind, altered(draw, template, part)
    if kind == "appended":
        code = draw.choice(["    open({canary!r}, 'w')", "open({canary!r}, 'w')", "    import os", "import os"])
        return kind, template + code.format(**fill) + "\n"
    if kind == "class":
        return kind, head.replace("import torch\n", "import torch\n\n\n" + altered(draw, CLASS, CLASS.rstrip()), 1)
    if kind == "nested":
        opening, closing = draw.choice([("(", ")"), ("[", "]"), ("-", ""), ("torch.sin(", ")"), ("not ", ""), ("x[", "]")])
        depth = draw.choice([2000, 20000, 200000])
        return kind, with_program(template, "    return " + opening * depth + "x" + closing * depth + "\n")
    if kind == "blocks":
        depth = draw.randrange(20, 400)
        body = "".join("    " * (level + 1) + "if True:\n" for level in range(depth))
        return kind, with_program(template, body + "    " * (depth + 1) + "x = x\n    return x\n")
    if kind == "truncated":
        place = draw.randrange(10, template.index("CALLS"))
        return kind, template[:place]
    if kind == "junk":
        return kind, "".join(chr(draw.randrange(32, 127)) for _ in range(draw.randrange(1, 3000)))
    if kind == "bytes":
        return kind, draw.randbytes(draw.randrange(1, 3000))
    if kind == "recursion":
        functions = draw.choice(["def f(x):\n    return f(x)\n", "def f(x):\n    return g(x)\n\n\ndef g(x):\n    return f(x)\n"])
        text = with_program(template, "    return f(x)\n")
        return kind, text.replace("def program(", functions + "\n\ndef program(")
    if kind == "argument":
        return kind, with_inputs(template, draw.choice(EXPRESSIONS).format(**fill))
    if kind == "calls":
        entry = draw.choice(
            [
                'dict(inputs="open")',
                'dict(inputs=open("a"))',
                'dict(inputs="inputs", between="eval")',
                'dict(inputs="inputs", autocast="os")',
                'dict(inputs="inputs", seed=__import__("os"))',
                'dict(inputs="inputs", backward_times=10**9)',
                'dict(inputs="inputs", backward_times=1000000000)',
                'dict(inputs="inputs", tangent_layout="a")',
                'dict(inputs="inputs", **globals())',
                'dict(inputs="inputs", hook=open)',
                'open("a")',
            ]
        )
        return kind, head[: head.index("CALLS")] + f"CALLS = [\n    {entry},\n]\n"
    if kind == "long":
        return kind, with_program(template, "    return " + draw.choice(["x + ", "1, ", '"a" + ']) * 10**6 + "\n")
    if kind == "encoding":
        line = draw.choice(["# coding: utf-7", "# -*- coding: rot13 -*-", "# vim: set fileencoding=utf-16 :"])
        return kind, template.replace("import torch\n", line + "\nimport torch\n", 1)
    place = draw.randrange(len(template))
    return kind, template[:place] + draw.choice(["\0", "\x1a", "\x0c", "\u2028", "\u202e", "\ufeff"]) + template[place:]


def main(seed, count, folder, template, canaries):
    draw = random.Random(int(seed))
    template = pathlib.Path(template).read_text()
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    pathlib.Path(canaries).mkdir(parents=True, exist_ok=True)
    for index, bomb in enumerate(BOMBS):
        first, _, statements = bomb.partition("\n")
        if statements:
            text = with_program(template, f"{statements}\n    return {'y' if ' y = ' in statements else first}\n")
        elif bomb.startswith("data("):
            text = with_inputs(template, bomb)
        else:
            text = with_program(template, f"    return {bomb}\n")
        (folder / f"bomb-{index:03}.py").write_text(text)
    for index in range(len(BOMBS), int(count)):
        kind, text = refused(draw, template, f"{canaries}/{index}")
        content = text if isinstance(text, bytes) else text.encode()
        (folder / f"refuse-{kind}-{index:03}.py").write_bytes(content)


if __name__ == "__main__":
    main(*sys.argv[1:])
