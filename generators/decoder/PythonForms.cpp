#include "generators/decoder/PythonForms.h"

#include "generators/decoder/FormText.h"
#include "generators/decoder/ProgramEditing.h"
#include "program/language/CasePrinter.h"
#include "program/parser/CaseParser.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace touchstone::decoder {

using catalogue::Draw;
using language::Expr;
using language::ExprKind;
using language::ExprPtr;
using language::Statement;
using language::StatementPtr;

namespace {

/// `TENSOR` is a floating tensor of the Program, `UNARY` and `OTHER` are drawn operators, `OPTIMIZER` one of torch.optim; the value has its sizes and its dtype.
struct PythonForm {
  std::string_view definitions, value;
  bool ofMatrices = false; // two dimensions or more, with elements
  int share = 1; // of the draws
  bool trains = false; // takes a backward of its own
};

constexpr PythonForm kForms[] = {
    // classes
    {"@dataclasses.dataclass\nclass Pair:\n    first: torch.Tensor\n    weight: float = 0.5\n\n"
     "    def total(self):\n        return self.first.UNARY() * self.weight\n",
     "Pair(TENSOR).total()"},
    {"class Box:\n    factor = 2\n\n    def __init__(self, t):\n        self.inside = t\n\n    @property\n"
     "    def scaled(self):\n        return self.inside.UNARY() * self.factor\n",
     "Box(TENSOR).scaled"},
    {"class Result(typing.NamedTuple):\n    values: torch.Tensor\n    count: int = 2\n\n"
     "    def total(self):\n        return self.values.UNARY() * self.count\n",
     "Result(TENSOR).total()"},
    {"class Held:\n    def __init__(self, t):\n        self.t = t\n\n    def __add__(self, other):\n"
     "        return Held(self.t.UNARY() + other.t)\n",
     "(Held(TENSOR) + Held(TENSOR)).t"},
    {"class Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.scale = 2\n\n"
     "    def forward(self, t):\n        return t.UNARY() * self.scale\n",
     "Net()(TENSOR)"},
    {"class Tied(torch.nn.Module):\n    def __init__(self, t):\n        super().__init__()\n"
     "        self.first = torch.nn.Parameter(t.detach().clone())\n        self.second = self.first\n\n"
     "    def forward(self, t):\n        return t.UNARY() * self.first + self.second\n",
     "Tied(TENSOR)(TENSOR)"},
    {"class Doubled(torch.nn.Module):\n    def forward(self, w):\n        return w.UNARY() * 2\n\n\n"
     "class Parametrized(torch.nn.Module):\n    def __init__(self, t):\n        super().__init__()\n"
     "        self.weight = torch.nn.Parameter(t.detach().clone())\n"
     "        torch.nn.utils.parametrize.register_parametrization(self, \"weight\", Doubled())\n\n"
     "    def forward(self, t):\n        return t.OTHER() + self.weight\n",
     "Parametrized(TENSOR)(TENSOR)"},
    {"def checked(t):\n    try:\n        if t.dim() < 9:\n            raise ValueError(\"dimensions\")\n        return t\n"
     "    except ValueError:\n        return t.UNARY()\n",
     "checked(TENSOR)"},
    {"", "functools.partial(torch.mul, TENSOR)(2)"},
    {"", "torch.utils._pytree.tree_map(lambda t: t.UNARY(), [TENSOR, (TENSOR,)])[1][0]"},
    {"", "(TENSOR if torch.compiler.is_exporting() else TENSOR.UNARY())"},
    {"", "(TENSOR.UNARY() if torch.compiler.is_compiling() else TENSOR.clone().UNARY())"},
    {"", "TENSOR * random.random()"},
    // subclasses of tensors
    {"class Doubling(torch.Tensor):\n    @classmethod\n    def __torch_function__(cls, func, types, args=(), kwargs=None):\n"
     "        with torch._C.DisableTorchFunctionSubclass():\n            out = func(*args, **(kwargs or {}))\n"
     "            if func is torch.mul:\n                out = out * 2\n        return out\n\n\n"
     "def doubled(t):\n    z = torch.mul(t.as_subclass(Doubling), 3)\n"
     "    with torch._C.DisableTorchFunctionSubclass():\n        return z.UNARY()\n",
     "doubled(TENSOR)"},
    {"class ScaledTensor(torch.Tensor):\n    def __new__(cls, inner, factor):\n"
     "        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype, requires_grad=inner.requires_grad)\n\n"
     "    def __init__(self, inner, factor):\n        self.inner_values = inner\n        self.factor = factor\n\n"
     "    def __tensor_flatten__(self):\n        return [\"inner_values\"], self.factor\n\n    @staticmethod\n"
     "    def __tensor_unflatten__(tensors, factor, size, stride):\n        return ScaledTensor(tensors[\"inner_values\"], factor)\n\n"
     "    @classmethod\n    def __torch_dispatch__(cls, func, types, args, kwargs):\n"
     "        plain = list(map(opened, args))\n        return func(*plain, **(kwargs or {}))\n\n\n"
     "def opened(a):\n    return a.inner_values * a.factor if isinstance(a, ScaledTensor) else a\n",
     "torch.add(ScaledTensor(TENSOR, 2.0), TENSOR)"},
    {"", "torch.nested.nested_tensor_from_jagged(TENSOR, torch.tensor([0, TENSOR.size(0)])).UNARY().values()",
     /*ofMatrices=*/true},
    // training
    {"def block(t):\n    w = t.detach().clone().requires_grad_()\n    optimizer = torch.optim.OPTIMIZER\n"
     "    (w.UNARY() * w).sum().backward()\n    optimizer.step()\n    return t + w.detach()\n",
     "block(TENSOR)", /*ofMatrices=*/false, /*share=*/5, /*trains=*/true},
    {"def drawn(t):\n    g = torch.Generator()\n    g.manual_seed(5)\n"
     "    return t * torch.rand(t.shape, generator=g).to(t.dtype)\n",
     "drawn(TENSOR)"},
    // functions
    {"def block(t):\n    return t.UNARY().OTHER()\n",
     "torch.utils.checkpoint.checkpoint(block, TENSOR, use_reentrant=True)"},
    {"@torch.compiler.disable\ndef outside(t):\n    return t.UNARY().OTHER()\n", "outside(TENSOR)"},
    {"@torch.compiler.allow_in_graph\ndef opaque(t):\n    return t.UNARY().OTHER()\n", "opaque(TENSOR)"},
    {"def block(t):\n    return t.UNARY().OTHER()\n", "torch.compile(block, backend=\"eager\")(TENSOR)"},
    {"def block(t):\n    return t.UNARY().OTHER()\n", "torch.compile(block, backend=\"aot_eager\")(TENSOR)"},
    {"def block(t):\n    return t.UNARY().OTHER()\n", "torch.func.functionalize(block)(TENSOR)"},
    {"def block(t):\n    return t.UNARY().OTHER()\n", "torch.func.linearize(block, TENSOR)[0]"},
};

constexpr int kNamedResultsPercent = 10;

/// In the place of `helper_0` in a call of it.
constexpr std::string_view kAroundFunctions[] = {
    "torch.compiler.disable(FUNCTION)(ARGUMENTS)", "torch.compile(FUNCTION, backend=\"eager\")(ARGUMENTS)",
    "functools.partial(FUNCTION)(ARGUMENTS)",
    "torch.utils.checkpoint.checkpoint(FUNCTION, ARGUMENTS, use_reentrant=True)"};

constexpr std::string_view kOptimizers[] = {"SGD([w], lr=0.125, momentum=0.5)",
                                            "AdamW([w], lr=0.125)",
                                            "Adam([w], lr=0.125)",
                                            "RMSprop([w], lr=0.125)",
                                            "Adagrad([w], lr=0.125)",
                                            "Adamax([w], lr=0.125)",
                                            "NAdam([w], lr=0.125)",
                                            "RAdam([w], lr=0.125)",
                                            "ASGD([w], lr=0.125)"};

constexpr std::string_view kUnary[] = {"sin", "cos", "tanh", "sigmoid", "relu", "abs", "neg", "atan", "clone"};

/// A call of a function of the file that was decoded; null: the statement makes none.
const Expr* helperCall(const Statement& statement) {
  const bool isCall = statement.kind == language::StatementKind::kAssign && statement.value->kind == ExprKind::kCall &&
                      statement.value->children[0]->kind == ExprKind::kName && statement.value->keywords.empty();
  return isCall && statement.value->children[0]->text.starts_with("helper_") ? statement.value.get() : nullptr;
}

class FormAdder {
 public:
  FormAdder(language::Case& theCase, const DecoderState& state, Draw& draw)
      : case_(theCase), state_(state), draw_(draw) {}

  void run() {
    for (int64_t count = draw_.between(1, 3); count > 0; --count) {
      if (!draw_.chance(30) || !addAroundFunction()) {
        addToValue();
      }
    }
    if (draw_.chance(kNamedResultsPercent)) {
      nameResults();
    }
  }

 private:
  std::vector<StatementPtr>& body() { return programOf(case_)->body; }

  /// The floating tensor that a statement of the Program itself makes; empty: none.
  std::string floatingTargetOf(const Statement& statement) const {
    const std::string name = boundName(statement);
    const at::Tensor tensor = state_.tensorNamed(name);
    return tensor.defined() && tensor.is_floating_point() ? name : "";
  }

  void addToValue() {
    std::vector<size_t> places;
    for (size_t place = 0; place < body().size(); ++place) {
      if (!floatingTargetOf(*body()[place]).empty()) {
        places.push_back(place);
      }
    }
    if (places.empty()) {
      return;
    }
    const size_t place = places[static_cast<size_t>(draw_.below(std::ssize(places)))];
    const std::string name = floatingTargetOf(*body()[place]);
    const at::Tensor tensor = state_.tensorNamed(name);
    std::vector<size_t> fitting;
    for (size_t index = 0; index < std::size(kForms); ++index) {
      const PythonForm& form = kForms[index];
      if ((!form.ofMatrices || (tensor.dim() >= 2 && tensor.numel() > 0)) &&
          (!form.trains || state_.options.features.backward)) {
        fitting.insert(fitting.end(), static_cast<size_t>(kForms[index].share), index);
      }
    }
    const size_t index = fitting[static_cast<size_t>(draw_.below(std::ssize(fitting)))];
    const PythonForm& form = kForms[index];
    if (!form.definitions.empty() && defined_.insert(index).second) {
      addDefinitions(case_, filled(form.definitions, index, name));
    }
    body().insert(
        body().begin() + static_cast<std::ptrdiff_t>(place) + 1,
        language::makeAssign({language::makeName(name)}, parser::parseExpression(filled(form.value, index, name))));
  }

  /// False: there is no call that could be another.
  bool addAroundFunction() {
    std::vector<size_t> places;
    for (size_t place = 0; place < body().size(); ++place) {
      if (helperCall(*body()[place]) != nullptr) {
        places.push_back(place);
      }
    }
    if (places.empty()) {
      return false;
    }
    const size_t place = places[static_cast<size_t>(draw_.below(std::ssize(places)))];
    const Expr& call = *helperCall(*body()[place]);
    std::string arguments;
    for (size_t index = 1; index < call.children.size(); ++index) {
      arguments += (index > 1 ? ", " : "") + language::printExpression(*call.children[index]);
    }
    if (arguments.empty()) {
      return false;
    }
    std::string text(kAroundFunctions[draw_.below(std::ssize(kAroundFunctions))]);
    text = replaced(std::move(text), "FUNCTION", call.children[0]->text);
    Statement other = *body()[place];
    other.value = parser::parseExpression(replaced(std::move(text), "ARGUMENTS", arguments));
    body()[place] = std::make_shared<const Statement>(std::move(other));
    return true;
  }

  /// What the Program returns is a field of a named tuple.
  void nameResults() {
    if (!body().empty() && body().back()->kind == language::StatementKind::kReturn && body().back()->value) {
      addDefinitions(case_, "class Outputs(typing.NamedTuple):\n    results: torch.Tensor\n");
      body().back() = language::makeReturn(language::makeCall(language::makeName("Outputs"), {body().back()->value}));
    }
  }

  std::string filled(std::string_view text, size_t form, const std::string& name) {
    const std::string_view unary = kUnary[draw_.below(std::ssize(kUnary))],
                           other = kUnary[draw_.below(std::ssize(kUnary))];
    std::string result = replaced(std::string(text), "TENSOR", name);
    result = replaced(replaced(std::move(result), "UNARY", unary), "OTHER", other);
    result = replaced(std::move(result), "OPTIMIZER", kOptimizers[draw_.below(std::ssize(kOptimizers))]);
    return replaced(std::move(result), "block", fmt::format("block_{}", form));
  }

  language::Case& case_;
  const DecoderState& state_;
  Draw& draw_;
  std::set<size_t> defined_; // forms
};

} // namespace

void addPythonForms(language::Case& theCase, const DecoderState& state, Draw& draw) {
  FormAdder(theCase, state, draw).run();
}

} // namespace touchstone::decoder
