#include "program/evaluator/Builtins.h"
#include "program/parser/LanguageNames.h"
#include "tests/graph/PythonComparison.h"

namespace touchstone::tests {
namespace {

using comparison::ComparedCase;
using comparison::withUsualInputs;

// One program a line or a block: the body of `def program(x, w, n)`.
struct Body {
  const char* name;
  const char* text;
};

std::vector<ComparedCase> casesOf(std::initializer_list<Body> bodies) {
  std::vector<ComparedCase> cases;
  for (const Body& body : bodies) {
    std::string text;
    std::istringstream lines(body.text);
    for (std::string line; std::getline(lines, line);) {
      text += line.empty() ? "" : "    " + line + "\n";
    }
    cases.push_back(withUsualInputs(body.name, text));
  }
  return cases;
}

std::vector<ComparedCase> statementsCases() {
  return casesOf({
      {"assign", "y = x + 1\nreturn y"},
      {"noReturn", "y = x + 1"},
      {"bareReturn", "x.add_(1)\nreturn"},
      {"unpack", "a, b = x\nreturn b, a"},
      {"unpackRest", "a, *b = n\nreturn a, b"},
      {"unpackRestMiddle", "a, *b, c = (1, 2, 3, 4, 5)\nreturn a, b, c"},
      {"unpackNested", "(a, b), c = (1, 2), 3\nreturn a, b, c"},
      {"unpackOne", "(a,) = [5]\nreturn a"},
      {"unpackSplit", "a, b = torch.split(n, 2)\na.add_(10)\nreturn a, b"},
      {"unpackMax", "v, i = torch.max(x, dim=1)\nreturn v, i"},
      {"swap", "a, b = 1, 2\na, b = b, a\nreturn a, b"},
      {"augmentedTensor", "y = x\ny += 1\nreturn y"},
      {"augmentedNumber", "a = 3\na **= 2\na //= 2\na %= 3\nreturn a"},
      {"augmentedList", "a = [1]\nb = a\nb += (2, x)\nreturn a, b"},
      {"augmentedListTimes", "a = [1]\nb = a\nb *= 2\nreturn a"},
      {"augmentedTuple", "a = (1,)\nb = a\nb += (2,)\nreturn a, b"},
      {"augmentedString", "a = \"x\"\na += \"y\"\nreturn a"},
      {"augmentedNumberTensor", "a = 1\na += x\nreturn a"},
      {"augmentedSubscript", "x[0] += w\nreturn x"},
      {"augmentedSubscriptNoGrad", "x[0] *= 3\nreturn x"},
      {"augmentedListItem", "a = [1, 2]\na[1] += 5\nreturn a"},
      {"augmentedGrad", "w.grad = torch.ones(3)\nw.grad += 2\nreturn w.grad"},
      {"augmentedMatmul", "y = x.clone()\ny @= torch.ones(3, 3)\nreturn y"},
      {"setItem", "x[1, 0] = 5.0\nx[0] = w.detach()\nreturn x"},
      {"setItemSlice", "x[:, 1:] = 0\nreturn x"},
      {"setItemMask", "x[x > 0] = -1\nreturn x"},
      {"setItemList", "a = [1, 2, 3]\na[0] = \"z\"\na[1:] = [x]\nreturn a"},
      {"setItemDict", "a = {\"k\": 1}\na[\"l\"] = x\na[\"k\"] = 2\nreturn a"},
      {"deleteName", "y = x\ndel y\nreturn x"},
      {"ifElse", "if x.sum() > 100:\n    y = x\nelif x.dim() == 2:\n    y = x * 2\nelse:\n    y = x * 3\nreturn y"},
      {"ifTensor", "if n[0] < 100:\n    return n[0]\nreturn n[1]"},
      {"while", "i = 0\nwhile i < 3:\n    x = x * 2\n    i += 1\nreturn x, i"},
      {"whileReturn", "while True:\n    x = x + 1\n    if x.min() > 5:\n        return x"},
      {"forRange", "for i in range(3):\n    x = x + i\nreturn x"},
      {"forRangeStep", "a = []\nfor i in range(7, 0, -3):\n    a.append(i)\nreturn a"},
      {"forRangeTensor", "a = 0\nfor i in range(torch.tensor(3)):\n    a += i\nreturn a"},
      {"forList", "a = 0\nfor i in [1, 2.5, x]:\n    a = a + i\nreturn a"},
      {"forGrowing", "a = [1]\nfor i in a:\n    if len(a) < 4:\n        a.append(i + 1)\nreturn a"},
      {"forTensor", "a = []\nfor row in x:\n    a.append(row.sum())\nreturn a"},
      {"forPairs", "a = 0\nfor i, j in [(1, 2), (3, 4)]:\n    a += i * j\nreturn a"},
      {"forShape", "a = 1\nfor s in x.shape:\n    a *= s\nreturn a"},
      {"forDict", "a = []\nfor k in {\"p\": 1, \"q\": 2}:\n    a.append(k)\nreturn a"},
      {"forReturn", "for i in range(10):\n    if i == 4:\n        return i\nreturn -1"},
      {"noGrad", "with torch.no_grad():\n    y = w * 2\nz = w * 3\nreturn y, z"},
      {"enableGrad", "with torch.no_grad():\n    with torch.enable_grad():\n        y = w * 2\nreturn y"},
      {"setGradEnabled", "with torch.set_grad_enabled(False):\n    y = w * 2\nreturn y, torch.is_grad_enabled()"},
      {"setGradEnabledStatement", "torch.set_grad_enabled(False)\ny = w * 2\nreturn y"},
      {"inferenceMode", "with torch.inference_mode():\n    y = w * 2\nreturn y.is_inference(), y.requires_grad"},
      {"severalContexts", "with torch.no_grad(), torch.enable_grad():\n    y = w * 2\nreturn y"},
      {"contextLeavesOnRaise", "with torch.no_grad():\n    return w.view(7)"},
      {"autocast", "with torch.autocast(\"cpu\", dtype=torch.bfloat16):\n    y = torch.mm(x, x.t())\nreturn y"},
      {"autocastFloat", "with torch.autocast(\"cpu\", dtype=torch.float32):\n    y = torch.mm(x, x.t())\nreturn y"},
      {"autocastOff", "with torch.autocast(\"cpu\", enabled=False):\n    y = torch.mm(x, x.t())\nreturn y"},
      {"autocastCache",
       "with torch.autocast(\"cpu\", torch.bfloat16):\n    y = torch.nn.functional.linear(x, w.view(1, 3))\nreturn "
       "y"},
      {"print", "print(\"value\", 1)\npass\ntorch._dynamo.graph_break()\nreturn x"},
      {"requiresGradAttribute", "x.requires_grad = True\ny = x * 2\nreturn y"},
      {"gradAttribute", "w.grad = torch.ones(3)\nb = w.grad\nw.grad = None\nreturn b, w.grad is None"},
  });
}

std::vector<ComparedCase> expressionsCases() {
  return casesOf({
      {"numbers", "return 7 // 2, -7 // 2, 7 % 3, -7 % 3, 7 / 2, 2**10, 2**-1, True + 1, 1 - 0.5, 3 * 2.5"},
      {"floats", "return 7.5 // 2, -7.5 % 2, 7.5 % -2, 1e-05, 2.0**0.5, -0.0 * 1, 0.1 + 0.2, (-8.0)**0.5"},
      {"complex", "return 1j * 1j, (1 + 2j) / (3 - 1j), 2j**2, complex(1, 2) - 1, abs(3 + 4j), (1 + 2j).imag"},
      {"bits", "return 6 & 3, 6 | 3, 6 ^ 3, ~6, 1 << 5, -9 >> 1, True & False, True | 2, ~True, -True"},
      {"compareNumbers", "return 1 < 2, 1 == 1.0, 2 >= 3, 1 != 1, True == 1, 1 == \"a\", 1 is None, None is None"},
      {"compareSizes", "return x.shape == (2, 3), x.shape == [2, 3], x.shape < (2, 4), x.size() == x.shape"},
      {"compareDtypes", "return x.dtype == torch.float32, n.dtype == torch.float, x.dtype is torch.float32"},
      {"compareTensors", "return x == x, x != 0, x < 1, 1 <= x, x == None, x is x, x is not w"},
      {"strings", "return \"a\" + \"b\", \"ab\" * 2, \"a\" < \"b\", \"a\" in \"abc\", \"abc\"[1], len(\"abc\")"},
      {"booleans", "return 1 and 2, 0 and 2, 0 or [], not 0, not [1], None or x.dim(), \"\" or \"b\", 1 and x.dim()"},
      {"shortCircuit", "return False and x.view(7), True or x.view(7)"},
      {"conditional", "return 1 if x.dim() == 2 else 2, x if False else n"},
      {"contains", "return 1 in [1, 2], 3 not in (1, 2), x in [x], \"k\" in {\"k\": 1}, 100 in n, n[0] in n"},
      {"containers", "a = [1, x]\nb = {\"k\": a, \"l\": (1, 2)}\nreturn a, b, b[\"k\"][0], (), [], {}"},
      {"concatenation", "return [1] + [2], (1,) + (2,), x.shape + (1,), (1,) + x.shape, [0] * 3, x.shape * 2"},
      {"slices",
       "a = [0, 1, 2, 3, 4]\nreturn a[1:3], a[::-1], a[-2:], a[:10], a[3:1], x.shape[1:], (1, 2)[::2], a[4:0:-2]"},
      {"indices", "a = [1, 2, 3]\nreturn a[-1], a[True], a[torch.tensor(2)], x.shape[-1], x.shape[0]"},
      {"starred", "return [*x.shape, 5], (*n.tolist(), 1), torch.zeros(*x.shape), max(*[1, 2])"},
      {"builtins", "return len(x), len([1]), int(2.7), int(\"12\"), float(\"inf\"), float(1), bool([]), bool(x.sum())"},
      {"builtinsOfTensors", "return int(n[0]), float(n[1]), float(x[0, 0]), int(x[0, 0]), bool(n[0] == n[0])"},
      {"moreBuiltins",
       "return min(3, 1, 2), max([1, 2.5]), sum([1, 2, 3]), abs(-2), round(2.5), round(3.14159, 2), round(-1.5)"},
      {"sumOfTensors", "return sum([x, x, x]), sum(n), max(n), abs(x)"},
      {"lists",
       "a = list((1, 2))\na.append(3)\na.extend([4])\na.insert(0, 9)\nb = a.pop()\na.reverse()\nreturn a, b, "
       "tuple(a), list(n)"},
      {"dicts", "a = {\"k\": 1, \"l\": x}\nreturn list(a.keys()), list(a.values()), a.get(\"z\"), len(a)"},
      {"attributes", "return x.shape, x.dtype, x.ndim, x.requires_grad, w.is_leaf, x.grad, x.T, x.mT, x.device"},
      {"realAndImag", "z = torch.complex(x, x)\nz.real.add_(1)\nreturn z.real, z.imag, x.real is x, z"},
      {"methods",
       "return x.size(), x.size(0), x.size(-1), x.stride(), x.stride(0), x.dim(), x.numel(), x.sum().item(), "
       "n.tolist()"},
      {"constants", "return torch.inf, torch.pi, torch.float16, torch.long, torch.device(\"cpu\")"},
      {"floatNames", "return float(\"nan\"), float(\"-inf\"), -float(\"inf\"), float(\" 1e5 \")"},
      {"tensorOperators",
       "return x + 1, 1 - x, x * 2.0, 2 / x, x // 2, x % 2, x**2, 2**x, -x, x @ x.t(), n & 3, ~n, n << 1"},
      {"tensorIndices",
       "return x[0], x[:, 1], x[..., 0], x[None], x[0, 1:], x[[1, 0]], x[n > 100][:0] if False else x[-1], x[x > "
       "0]"},
      {"factories",
       "return torch.zeros(2), torch.ones(x.shape), torch.full((2,), 3), torch.arange(3), torch.tensor([1, 2.5]), "
       "torch.eye(2)"},
      {"dtypes",
       "return x.to(torch.float16), x.double(), x.to(n), torch.zeros(2, dtype=torch.bool), x.long(), "
       "n.to(torch.complex64)"},
      {"functions",
       "return torch.nn.functional.relu(x), torch.ops.aten.sin.default(x), torch.linalg.norm(x), "
       "torch.fft.fft(w).real, torch.special.expit(x)"},
      {"outArgument", "y = torch.empty(2, 3)\nz = torch.add(x, 1, out=y)\nreturn z is y, y"},
      {"keywords",
       "return torch.sum(x, dim=0, keepdim=True), torch.add(x, x, alpha=2), x.sum(dim=(0, 1)), torch.std(x, "
       "correction=0)"},
      {"random", "torch.manual_seed(5)\nreturn torch.rand(2), torch.nn.functional.dropout(x), x.bernoulli(0.5)"},
      {"views", "y = x.t()\ny.add_(1)\nz = x.view(-1)\nz[0] = 9\nreturn y, z, x.as_strided((2,), (1,), 1)"},
      {"sameTwice", "y = x * 2\nreturn y, y, [y, {\"k\": y}]"},
      {"sizeMethods", "return x.shape.numel(), torch.Size([1, 2]), torch.Size((3,)) + x.shape, len(x.shape)"},
      {"requiresGrad",
       "y = x.clone().requires_grad_()\nreturn (y * w).sum(), y.is_leaf, y.requires_grad_(False).requires_grad"},
      {"detach", "y = w * 2\nz = y.detach()\nz.add_(1)\nreturn y, z"},
  });
}

std::vector<ComparedCase> functionsCases() {
  const std::string inputs =
      "def inputs(seed, kind):\n"
      "    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()\n"
      "    base = data((8,), torch.float32, (seed, 1), kind)\n"
      "    v = base.as_strided((2, 2), (1, 3), 1)\n"
      "    return (x, v, 3, [v, \"s\"], None), (base,)\n\n\n";
  auto withFunctions = [&](const char* name, const char* text) { return ComparedCase{name, inputs + text}; };
  return {
      withFunctions("helper",
                    "def double(t):\n    return t * 2\n\n\n"
                    "def program(x, v, i, l, z):\n    return double(x), double(t=v), double(i)\n"),
      withFunctions("helperMutates",
                    "def add(t, l):\n    t.add_(1)\n    l.append(t)\n\n\n"
                    "def program(x, v, i, l, z):\n    a = add(v, l)\n    return a, l, v\n"),
      withFunctions("missing",
                    "def f(a, b, c):\n    return a\n\n\n"
                    "def program(x, v, i, l, z):\n    return f(1)\n"),
      withFunctions("tooMany",
                    "def f(a, b):\n    return a\n\n\n"
                    "def program(x, v, i, l, z):\n    return f(1, 2, 3)\n"),
      withFunctions("unexpected",
                    "def f(a, b):\n    return a\n\n\n"
                    "def program(x, v, i, l, z):\n    return f(1, b=2, c=3)\n"),
      withFunctions("twice",
                    "def f(a, b):\n    return a\n\n\n"
                    "def program(x, v, i, l, z):\n    return f(1, a=3)\n"),
      withFunctions("recursion",
                    "def f(a):\n    return f(a)\n\n\n"
                    "def program(x, v, i, l, z):\n    return f(1)\n"),
      withFunctions("hook",
                    "def scale(g):\n    return g * 3\n\n\n"
                    "def program(x, v, i, l, z):\n    y = x * 2\n    y.register_hook(scale)\n"
                    "    x.register_hook(scale)\n    return y\n"),
      withFunctions("hooksInOrder",
                    "def scale(g):\n    return g * 3\n\n\ndef add(g):\n    return g + 1\n\n\n"
                    "def program(x, v, i, l, z):\n    x.register_hook(scale)\n    h = x.register_hook(scale)\n"
                    "    x.register_hook(add)\n    y = x * 2\n    y.register_hook(add)\n"
                    "    y.register_hook(scale)\n    h.remove()\n    return y\n"),
      withFunctions("hookReturnsNone",
                    "def look(g):\n    g.sum()\n\n\n"
                    "def program(x, v, i, l, z):\n    x.register_hook(look)\n    return x * 2\n"),
      withFunctions("hookRemoved",
                    "def scale(g):\n    return g * 3\n\n\n"
                    "def program(x, v, i, l, z):\n    h = x.register_hook(scale)\n    h.remove()\n"
                    "    return x * 2\n"),
      withFunctions("hookRaises",
                    "def bad(g):\n    return g.view(99)\n\n\n"
                    "def program(x, v, i, l, z):\n    x.register_hook(bad)\n    return x * 2\n"),
      withFunctions("hookWrongSize",
                    "def bad(g):\n    return torch.ones(4)\n\n\n"
                    "def program(x, v, i, l, z):\n    x.register_hook(bad)\n    return x * 2\n"),
      withFunctions("hookWrongDtype",
                    "def bad(g):\n    return g.double()\n\n\n"
                    "def program(x, v, i, l, z):\n    x.register_hook(bad)\n    return x * 2\n"),
      withFunctions("hookWrongType",
                    "def bad(g):\n    return 5\n\n\n"
                    "def program(x, v, i, l, z):\n    x.register_hook(bad)\n    return x * 2\n"),
      withFunctions("hookOfNoGradient",
                    "def bad(g):\n    return g\n\n\n"
                    "def program(x, v, i, l, z):\n    v.register_hook(bad)\n    return x * 2\n"),
      withFunctions("hookUndefined",
                    "def keep(g):\n    return g\n\n\n"
                    "def program(x, v, i, l, z):\n    a, b = x.split([1, 1])\n"
                    "    b.register_hook(keep)\n    return a * 2\n"),
      withFunctions("accumulateHook",
                    "def step(p):\n    p.grad.mul_(10)\n\n\n"
                    "def program(x, v, i, l, z):\n"
                    "    x.register_post_accumulate_grad_hook(step)\n    return x * 2\n"),
      withFunctions("accumulateHookOfInner",
                    "def step(p):\n    p.grad.mul_(10)\n\n\n"
                    "def program(x, v, i, l, z):\n    y = x * 2\n"
                    "    y.register_post_accumulate_grad_hook(step)\n    return y\n"),
  };
}

std::vector<ComparedCase> autogradCases() {
  return casesOf({
      {"grad", "y = (w * w).sum()\nreturn torch.autograd.grad(y, w)"},
      {"gradTangents", "y = w * 2\nreturn torch.autograd.grad([y], [w], grad_outputs=[torch.ones(3) * 3])"},
      {"gradCreate", "y = (w * w * w).sum()\n(g,) = torch.autograd.grad(y, w, create_graph=True)\nreturn g, g * w"},
      {"gradInner", "y = w * 2\nz = y * y\nreturn torch.autograd.grad(z.sum(), [y, w])"},
      {"gradRetain",
       "y = (w * w).sum()\na = torch.autograd.grad(y, w, retain_graph=True)\nreturn a, torch.autograd.grad(y, w)"},
      {"gradTwiceRaises", "y = (w * w).sum()\ntorch.autograd.grad(y, w)\nreturn torch.autograd.grad(y, w)"},
      {"gradUnusedRaises", "u = torch.ones(2, requires_grad=True)\nreturn torch.autograd.grad((w * 2).sum(), [w, u])"},
      {"gradUnused",
       "u = torch.ones(2, requires_grad=True)\nreturn torch.autograd.grad((w * 2).sum(), [w, u], "
       "allow_unused=True)"},
      {"gradMaterialized",
       "u = torch.ones(2, requires_grad=True)\nreturn torch.autograd.grad((w * 2).sum(), [w, u], "
       "materialize_grads=True)"},
      {"gradMaterializedRaises", "return torch.autograd.grad(w.sum(), w, allow_unused=False, materialize_grads=True)"},
      {"gradNotScalar", "return torch.autograd.grad(w * 2, w)"},
      {"gradOfNothing", "return torch.autograd.grad(x, w)"},
      {"gradNotRequired", "return torch.autograd.grad(w.sum(), x)"},
      {"gradEmpty", "return torch.autograd.grad(w.sum(), [])"},
      {"gradShape", "return torch.autograd.grad(w * 2, w, torch.ones(2))"},
      {"gradCount", "return torch.autograd.grad([w.sum(), w.sum()], w, [torch.ones(())])"},
      {"gradWrongTangent", "return torch.autograd.grad([w.sum()], w, [5])"},
      {"gradComplexTangent", "return torch.autograd.grad(w * 2, w, torch.ones(3, dtype=torch.complex64))"},
      {"gradComplexOutput", "return (w * 1j).sum().backward()"},
      {"gradNotTensors", "return torch.autograd.grad([5], w)"},
      {"backward", "(w * w).sum().backward()\nreturn w.grad"},
      {"backwardTwice", "y = (w * w).sum()\ny.backward(retain_graph=True)\ny.backward()\nreturn w.grad"},
      {"backwardTangent", "y = w * 2\ny.backward(torch.ones(3))\nreturn w.grad"},
      {"backwardInputs",
       "u = torch.ones(3, requires_grad=True)\n(w * u).sum().backward(inputs=[u])\nreturn u.grad, w.grad"},
      {"backwardEmptyInputs", "(w * 2).sum().backward(inputs=[])"},
      {"backwardFunction",
       "a = w * 2\nb = w * 3\ntorch.autograd.backward([a, b], [torch.ones(3), torch.ones(3)])\nreturn w.grad"},
      {"backwardUnknownKeyword", "(w * 2).sum().backward(foo=1)"},
      {"retainGrad", "y = w * 2\ny.retain_grad()\ny.sum().backward()\nreturn y.grad"},
      {"retainGradRaises", "x.retain_grad()"},
      {"noGradBackward", "with torch.no_grad():\n    y = w.sum()\ny.backward()"},
      {"leafInPlace", "w.add_(1)"},
      {"savedChanged", "y = w * w\nz = y * y\ny.add_(1)\nreturn z"},
      {"requiresGradOfInts", "n.requires_grad_()"},
      {"requiresGradAttributeOfInts", "n.requires_grad = True"},
      {"requiresGradOfInner", "y = w * 2\ny.requires_grad = False"},
      {"requiresGradNotBool", "x.requires_grad = 1"},
      {"gradOfWrongSize", "w.grad = torch.ones(2)"},
      {"gradOfWrongDtype", "w.grad = torch.ones(3, dtype=torch.float64)"},
      {"gradOfWrongType", "w.grad = 5"},
      {"gradOfItself", "w.grad = w"},
      {"viewAndInPlace", "y = w * 2\nv = y[1:]\nv.mul_(3)\nreturn y, v"},
      {"copyIntoView", "y = torch.zeros(2, 3)\ny[0] = w\nreturn y"},
  });
}

std::vector<ComparedCase> exceptionsCases() {
  return casesOf({
      {"zeroDivision", "return 1 / 0"},
      {"zeroFloorDivision", "return 1 // 0"},
      {"zeroModulo", "return 1 % 0"},
      {"floatDivision", "return 1.0 / 0"},
      {"floatFloor", "return 1.0 // 0"},
      {"floatModulo", "return 1.0 % 0"},
      {"zeroPower", "return 0 ** -1"},
      {"complexDivision", "return 1j / 0"},
      {"overflow", "return 10.0 ** 400"},
      {"negativeShift", "return 1 << -1"},
      {"wrongOperands", "return 1 + \"a\""},
      {"wrongOperandsPower", "return \"a\" ** 2"},
      {"wrongConcatenation", "return [1] + (2,)"},
      {"wrongTuple", "return (1,) + [2]"},
      {"wrongString", "return \"a\" + 1"},
      {"wrongUnary", "return -\"a\""},
      {"wrongComparison", "return 1 < \"a\""},
      {"wrongComparisonOfNone", "return None < 1"},
      {"wrongComplexComparison", "return 1j < 2"},
      {"indexRange", "return [1][3]"},
      {"tupleIndexRange", "return x.shape[5]"},
      {"indexKind", "return [1][\"a\"]"},
      {"tupleIndexKind", "return (1,)[1.5]"},
      {"key", "return {\"a\": 1}[\"b\"]"},
      {"notSubscriptable", "a = 5\nreturn a[0]"},
      {"notIterable", "for i in 5:\n    pass"},
      {"zeroDimensionalIteration", "for i in x.sum():\n    pass"},
      {"unpackMany", "a, b = (1, 2, 3)"},
      {"unpackFew", "a, b, c = (1, 2)"},
      {"unpackFewRest", "a, b, *c = (1,)"},
      {"unpackNumber", "a, b = 3"},
      {"ambiguous", "if x > 0:\n    return 1"},
      {"ambiguousEmpty", "return bool(torch.zeros(0))"},
      {"notScalar", "return int(x)"},
      {"itemOfMany", "return x.item()"},
      {"nanToInt", "return int(float(\"nan\"))"},
      {"infinityToInt", "return int(float(\"inf\"))"},
      {"badFloat", "return float(\"abc\")"},
      {"badInt", "return int(\"abc\")"},
      {"floatOfList", "return float([1])"},
      {"lengthOfNumber", "return len(5)"},
      {"rangeOfFloat", "for i in range(1.5):\n    pass"},
      {"rangeStep", "for i in range(0, 3, 0):\n    pass"},
      {"emptyMinimum", "return min([])"},
      {"notCallable", "a = 5\nreturn a(1)"},
      {"tensorNotCallable", "return x(1)"},
      {"unbound", "if x.dim() == 1:\n    y = x\nreturn y"},
      {"deletedName", "y = x\ndel y\nreturn y"},
      {"assignTuple", "a = (1, 2)\na[0] = 3"},
      {"assignRange", "a = [1]\na[5] = 3"},
      {"popEmpty", "a = []\na.pop()"},
      {"appendTwo", "a = []\na.append(1, 2)"},
      {"tensorIndexRange", "return x[5]"},
      {"tensorTooMany", "return n[0, 0]"},
      {"viewSize", "return x.view(7)"},
      {"shapes", "return torch.mm(x, x)"},
      {"broadcast", "return x + n"},
      {"noSuchAttribute", "return x.nothing"},
      {"noSuchMethod", "return x.nothing(1)"},
      {"cholesky", "return torch.linalg.cholesky(-torch.eye(2))"},
      {"wrongArgument", "return torch.sum(x, dim=\"a\")"},
      {"notImplemented", "return x & 1.5"},
      {"bernoulliOfInts", "return torch.bernoulli(n)"},
      {"indexOutOfRange", "return torch.gather(x, 0, torch.tensor([[9]]))"},
      {"badSetGradEnabled", "torch.set_grad_enabled(5)"},
      {"badContext", "with torch.set_grad_enabled(5):\n    pass"},
      {"badDevice", "return torch.zeros(2, device=\"foo\")"},
      {"containsString", "return \"a\" in x"},
      {"containsNumber", "return 3 in 5"},
      {"sliceStep", "return [1, 2][::0]"},
      {"reshapeFloat", "return x.reshape(2.5)"},
      {"boolArithmetic", "return torch.tensor(True) - torch.tensor(True)"},
      {"intDivisionInPlace", "n /= 2"},
      {"sequenceTimesTensor", "return [1] * x"},
  });
}

const comparison::PythonComparison& python() {
  static const comparison::PythonComparison comparison("evaluator", {{"statements", statementsCases()},
                                                                     {"expressions", expressionsCases()},
                                                                     {"functions", functionsCases()},
                                                                     {"autograd", autogradCases()},
                                                                     {"exceptions", exceptionsCases()}});
  return comparison;
}

TEST(EvaluatorTest, statementsDoWhatPythonDoes) {
  python().compare("statements");
}
TEST(EvaluatorTest, expressionsAreWhatPythonSays) {
  python().compare("expressions");
}
TEST(EvaluatorTest, functionsAndHooksRunAsInPython) {
  python().compare("functions");
}
TEST(EvaluatorTest, gradientsAreThoseOfPython) {
  python().compare("autograd");
}
TEST(EvaluatorTest, raisesWhatPythonRaises) {
  python().compare("exceptions");
}

TEST(EvaluatorTest, knowsEveryNameOfTheLanguage) {
  const language::Case theCase = comparison::caseOf("def program(x):\n    return x\n");
  evaluator::Evaluator evaluator(theCase);
  evaluator::Environment environment;
  environment.names["x"] = values::Value(at::randint(0, 9, {2, 2}).to(at::kComplexFloat));
  for (const std::string& name : parser::kTorchConstants) {
    EXPECT_NO_THROW(evaluator.evaluate(*language::makeDotted("torch." + name), environment)) << name;
  }
  for (const std::string& name : parser::kTensorAttributes) {
    const bool isOfDtype = name == "is_complex" || name == "is_floating_point";
    const language::ExprPtr object = isOfDtype ? language::makeDotted("x.dtype") : language::makeName("x");
    EXPECT_NO_THROW(evaluator.evaluate(*language::makeAttribute(object, name), environment)) << name;
  }
  for (const char* name : {"abs", "bool", "complex", "float", "int", "len", "list", "max", "min", "print", "range",
                           "round", "sum", "tuple"}) {
    EXPECT_TRUE(parser::kBuiltins.contains(name)) << name;
    EXPECT_TRUE(evaluator::isBuiltinFunction(name)) << name;
  }
}

TEST(EvaluatorTest, deletesItems) {
  const language::Case theCase = comparison::caseOf("def program(x):\n    return x\n");
  evaluator::Evaluator evaluator(theCase);
  evaluator::Environment environment;
  auto remove = [&](language::ExprPtr index) {
    auto statement = std::make_shared<language::Statement>(language::Statement{language::StatementKind::kDelete});
    statement->targets = {language::makeSubscript(language::makeName("a"), {std::move(index)})};
    evaluator.execute(*statement, environment);
  };
  environment.names["a"] = evaluator.evaluate(*parser::parseExpression("[0, 1, 2, 3, 4]"), environment);
  remove(language::makeInt(0));
  remove(language::makeSlice(nullptr, language::makeInt(4), language::makeInt(2)));
  const values::ValueList& left = *environment.find("a")->items();
  ASSERT_EQ(left.size(), 2u);
  EXPECT_EQ(left[0].as<int64_t>(), 2);
  EXPECT_EQ(left[1].as<int64_t>(), 4);
  EXPECT_THROW(remove(language::makeInt(7)), values::RaisedException);
  environment.names["a"] = evaluator.evaluate(*parser::parseExpression("{\"k\": 1, \"l\": 2}"), environment);
  remove(language::makeString("k"));
  EXPECT_EQ(environment.find("a")->as<values::DictPtr>()->entries.size(), 1u);
  EXPECT_THROW(remove(language::makeString("k")), values::RaisedException);
}

TEST(EvaluatorTest, limitsStatementsOfACall) {
  const language::Case theCase = comparison::caseOf("def program(x):\n    while True:\n        pass\n");
  evaluator::EvaluatorOptions options;
  options.maximumStatements = 50;
  evaluator::Evaluator evaluator(theCase, options);
  try {
    evaluator.call("program", {values::Value()});
    FAIL() << "nothing was raised";
  } catch (const values::RaisedException& error) {
    EXPECT_EQ(error.type(), "RuntimeError");
  }
}

TEST(EvaluatorTest, showsOperatorsAndStatementsToHooks) {
  const language::Case theCase =
      comparison::caseOf("def program(x):\n    y = torch.sin(x)\n    y.add_(1)\n    return y[0] * 2\n");
  std::vector<std::string> operators;
  std::vector<int> indices;
  evaluator::EvaluatorOptions options;
  options.onOperation = [&](const c10::OperatorHandle& op, torch::jit::Stack& stack) {
    operators.push_back(op.schema().name());
    if (operators.size() == 1) { // replaced: the sine is never taken
      torch::jit::drop(stack, 1);
      torch::jit::push(stack, at::ones_like(at::randint(0, 2, {3}).to(at::kFloat)));
      return true;
    }
    return false;
  };
  options.onStatement = [&](const language::Statement&, int index) { indices.push_back(index); };
  evaluator::Evaluator evaluator(theCase, options);
  const values::Value result = evaluator.call("program", {values::Value(at::randint(0, 9, {3}).to(at::kFloat))});
  EXPECT_EQ(result.tensor().item<float>(), 4.0f);
  EXPECT_EQ(operators, (std::vector<std::string>{"aten::sin", "aten::add_", "aten::select", "aten::mul"}));
  EXPECT_EQ(indices, (std::vector<int>{0, 1, 2}));
}

TEST(EvaluatorTest, runsOnePrecisionUp) {
  const language::Case theCase = comparison::caseOf(
      "def inputs(seed, kind):\n    x = data((4,), torch.float32, (seed, 0), \"uniform\")\n    return (x,), ()\n\n\n"
      "def program(x):\n    y = x.to(torch.float16)\n    return y, torch.ones(2), x.float(), x.dtype == torch.float32, "
      "torch.tensor([1.5]), torch.complex(x, x).to(torch.complex64)\n");
  evaluator::EvaluatorOptions options;
  options.inDouble = true;
  evaluator::Evaluator evaluator(theCase, options);
  const evaluator::InputSet inputs = evaluator.makeInputs("inputs", 3, "grid");
  EXPECT_EQ(inputs.arguments[0].tensor().scalar_type(), at::kDouble);
  evaluator::Evaluator single(theCase);
  const at::Tensor same = single.makeInputs("inputs", 3, "grid").arguments[0].tensor().to(at::kDouble);
  EXPECT_TRUE(same.equal(inputs.arguments[0].tensor()));
  const values::Value result = evaluator.call("program", inputs.arguments);
  const values::ValueList& items = *result.items();
  EXPECT_EQ(items[0].tensor().scalar_type(), at::kDouble);
  EXPECT_EQ(items[1].tensor().scalar_type(), at::kDouble);
  EXPECT_EQ(items[2].tensor().scalar_type(), at::kDouble);
  EXPECT_TRUE(items[3].as<bool>());
  EXPECT_EQ(items[4].tensor().scalar_type(), at::kDouble);
  EXPECT_EQ(items[5].tensor().scalar_type(), at::kComplexDouble);
  EXPECT_EQ(at::ones_like(same.to(at::kFloat)).scalar_type(), at::kFloat); // the default dtype is as before
  EXPECT_EQ(single.call("program", {values::Value(same.to(at::kFloat))}).items()->at(1).tensor().scalar_type(),
            at::kFloat);
}

TEST(EvaluatorTest, refusesInputsOfAnotherForm) {
  for (const char* returned : {"x", "(x,)", "(x,), 5", "(x,), (3,)", "[x], []"}) {
    const language::Case theCase = comparison::caseOf(fmt::format(
        "def inputs(seed, kind):\n    x = torch.ones(2)\n    return {}\n\n\ndef program(x):\n    return x\n",
        returned));
    evaluator::Evaluator evaluator(theCase);
    EXPECT_THROW(evaluator.makeInputs("inputs", 0, "grid"), values::RaisedException) << returned;
  }
}

TEST(EvaluatorTest, runsSingleStatementsInAnEnvironmentOfTheCaller) {
  const language::Case theCase = comparison::caseOf("def program(x):\n    y = x + 1\n    return y\n");
  evaluator::Evaluator evaluator(theCase);
  evaluator::Environment environment;
  environment.names["x"] = values::Value(values::Value::Payload(int64_t{4}));
  evaluator.execute(*theCase.program().body[0], environment);
  EXPECT_EQ(environment.find("y")->as<int64_t>(), 5);
  EXPECT_EQ(evaluator.evaluate(*parser::parseExpression("y * 2"), environment).as<int64_t>(), 10);
}

TEST(EvaluatorTest, hooksOutliveTheEvaluator) {
  at::Tensor leaf = at::randint(1, 5, {3}).to(at::kFloat).requires_grad_();
  at::Tensor loss;
  {
    const language::Case theCase = comparison::caseOf(
        "def triple(g):\n    return helper(g)\n\n\ndef helper(g):\n    return g * 3\n\n\n"
        "def program(x):\n    x.register_hook(triple)\n    return x.sum()\n");
    loss = evaluator::eagerProgram(theCase)
               ->
               operator()(*std::make_unique<values::ValueList>(values::ValueList{values::Value(leaf)}))
               .tensor();
  }
  loss.backward();
  EXPECT_TRUE(leaf.grad().equal(at::ones_like(leaf.detach()) * 3));
}

} // namespace
} // namespace touchstone::tests
