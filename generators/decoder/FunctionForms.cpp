#include "generators/decoder/FunctionForms.h"

#include "generators/decoder/ControlFlowForms.h"
#include "generators/decoder/FormText.h"
#include "generators/decoder/ProgramEditing.h"
#include "program/language/StatementEditing.h"
#include "program/parser/CaseParser.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace touchstone::decoder {

using catalogue::Draw;
using language::Function;
using language::StatementPtr;

namespace {

constexpr int64_t kMaximumDerivatives = 400; // entries of a Jacobian
constexpr int kControlFlowPercent = 30;

/// One call of one function, in whatever form is asked for.
class FormWriter {
 public:
  FormWriter(const DecoderState& state, const Function& function, const std::vector<std::string>& results, Draw& draw,
             int& number)
      : state_(state), function_(function), results_(results), draw_(draw), number_(number) {
    for (const std::string& name : function.parameters) {
      const at::Tensor tensor = tensorOf(name);
      if (tensor.defined()) {
        tensors_.push_back(name);
      }
      if (tensor.defined() && tensor.is_floating_point()) {
        differentiable_.push_back(name);
      }
    }
    hasFloatingResults_ = std::ranges::all_of(results, [&](const std::string& name) {
      return tensorOf(name).defined() && tensorOf(name).is_floating_point();
    });
  }

  std::optional<FunctionForm> write() {
    const bool areTensors =
        std::ranges::all_of(results_, [&](const std::string& name) { return tensorOf(name).defined(); });
    if (results_.empty() || !areTensors || tensors_.empty()) {
      return std::nullopt;
    }
    using Form = void (FormWriter::*)();
    std::vector<Form> forms{&FormWriter::vmap};
    if (!differentiable_.empty()) {
      forms.insert(forms.end(), {&FormWriter::vjp, &FormWriter::jvp});
    }
    if (!differentiable_.empty() && hasFloatingResults_) {
      forms.insert(forms.end(), {&FormWriter::ownFunction, &FormWriter::ownFunction, &FormWriter::ownFunction});
      forms.insert(forms.end(), {&FormWriter::grad, &FormWriter::grad});
      forms.insert(forms.end(), 5, &FormWriter::jacobian); // where it is small
    }
    (this->*forms[static_cast<size_t>(draw_.below(std::ssize(forms)))])();
    return std::move(form_);
  }

 private:
  at::Tensor tensorOf(const std::string& name) const { return state_.tensorNamed(name); }
  void add(const std::string& text) { form_.statements.push_back(parser::parseStatement(text)); }
  std::string newName(const char* stem) { return fmt::format("{}{}", stem, number_++); }
  std::string targets() const { return joined(results_); }
  std::string nestedTargets() const { return results_.size() == 1 ? results_[0] : "(" + joined(results_) + ")"; }

  /// What is bound gets a sum more; `of` a tensor of any sizes.
  void addSumOf(const std::string& of) { add(fmt::format("{0} = {0} + {1}.sum()", results_[0], of)); }

  /// An expression that is as good as the call, perhaps itself through a transform, a checkpoint or an own function.
  std::string call() {
    const std::string plain = fmt::format("{}({})", function_.name, joined(function_.parameters));
    switch (draw_.below(10)) {
      case 0:
        return draw_.chance(60) ? checkpointed(function_.name)
                                : checkpointed(fmt::format("lambda {}: {}", joined(function_.parameters),
                                                           checkpointed(function_.name)));
      case 1: return results_.size() == 1 ? mapped() : plain;
      case 2: return hasFloatingResults_ && !differentiable_.empty() ? ownCall(/*isTransformed=*/true) : plain;
      case 3:
        return differentiable_.empty()
                   ? plain
                   : fmt::format("torch.func.vjp({}, {})[0]", overDifferentiable(plain), joined(differentiable_));
      default: return plain;
    }
  }

  std::string checkpointed(const std::string& function) const {
    return fmt::format("torch.utils.checkpoint.checkpoint({}, {}, use_reentrant=False)", function,
                       joined(function_.parameters));
  }

  /// A function of the floating parameters; others stay what they are around it.
  std::string overDifferentiable(const std::string& body) const {
    return fmt::format("lambda {}: {}", joined(differentiable_), body);
  }
  std::string function() {
    if (differentiable_.size() == function_.parameters.size() && draw_.chance(50)) {
      return function_.name;
    }
    return overDifferentiable(call());
  }

  void vjp() {
    const std::string transformed = fmt::format("torch.func.vjp({}, {})", function(), joined(differentiable_));
    const std::string cotangents = results_.size() == 1 ? results_[0] : tupleText(results_);
    const int64_t gradient = draw_.below(std::ssize(differentiable_));
    if (draw_.chance(10)) { // behind a break, a function with a name is nothing that native captures take on
      const std::string pull = newName("pull");
      add(fmt::format("{}, {} = {}", nestedTargets(), pull, transformed));
      addSumOfGradient(fmt::format("{}({})[{}]", pull, cotangents, gradient));
    } else {
      add(fmt::format("{} = {}[0]", targets(), transformed));
      addSumOfGradient(fmt::format("{}[1]({})[{}]", transformed, cotangents, gradient));
    }
  }
  void addSumOfGradient(const std::string& gradient) {
    if (hasFloatingResults_ && draw_.chance(40)) {
      addSumOf(gradient);
    }
  }

  void jvp() {
    const std::string derivative = newName("d");
    const std::string primals = tupleText(differentiable_);
    add(fmt::format("{}, {} = torch.func.jvp({}, {}, {})", nestedTargets(), derivative, function(), primals, primals));
    if (draw_.chance(70)) {
      const std::string first = results_.size() == 1 ? derivative : derivative + "[0]";
      add(fmt::format("{0} = {0} + {1}", results_[0], first));
    }
  }

  void grad() {
    const std::string argnums = differentiable_.size() > 1 && draw_.chance(50)
                                    ? fmt::format(", argnums={}", draw_.below(std::ssize(differentiable_)))
                                    : "";
    const std::string arguments = joined(differentiable_);
    const std::string loss =
        results_.size() == 1 ? fmt::format("({}).sum()", call()) : fmt::format("({})[0].sum()", call());
    const std::string gradient = newName("g");
    if (draw_.chance(35)) {
      add(fmt::format("{}, {} = torch.func.grad(lambda {}: ({}, {}){}, has_aux=True)({})", gradient, nestedTargets(),
                      arguments, loss, call(), argnums, arguments));
    } else {
      add(fmt::format("{} = {}", targets(), call()));
      if (draw_.chance(40)) {
        const std::string value = newName("v");
        add(fmt::format("{}, {} = torch.func.grad_and_value(lambda {}: {}{})({})", gradient, value, arguments, loss,
                        argnums, arguments));
        addSumOf(value);
      } else {
        add(fmt::format("{} = torch.func.grad(lambda {}: {}{})({})", gradient, arguments, loss, argnums, arguments));
      }
    }
    addSumOf(gradient);
  }

  void jacobian() {
    const at::Tensor result = tensorOf(results_[0]), first = tensorOf(differentiable_[0]);
    const bool isSmall = results_.size() == 1 && result.numel() * first.numel() <= kMaximumDerivatives;
    if (!isSmall) {
      return grad();
    }
    const std::string derivatives = newName("j");
    add(fmt::format("{} = {}", targets(), call()));
    const char* const name = draw_.chance(30) ? "jacrev" : draw_.chance(50) ? "jacfwd" : "hessian";
    const std::string body = name == std::string_view("hessian") ? fmt::format("({}).sum()", call()) : call();
    add(fmt::format("{} = torch.func.{}(lambda {}: {})({})", derivatives, name, joined(differentiable_), body,
                    joined(differentiable_)));
    addSumOf(derivatives);
  }

  /// `torch.func.vmap(helper_0, in_dims=(0, None))(torch.stack([x0, x0]), y1)` without what takes one of the two.
  std::string mapped() {
    std::vector<std::string> dimensions, arguments;
    const int64_t batched = draw_.below(std::ssize(tensors_)); // this one at least
    for (const std::string& name : function_.parameters) {
      const at::Tensor tensor = tensorOf(name);
      if (!tensor.defined() || (name != tensors_[static_cast<size_t>(batched)] && draw_.chance(35))) {
        dimensions.emplace_back("None");
        arguments.push_back(name);
        continue;
      }
      const int64_t dimension = draw_.chance(70) ? 0 : draw_.between(0, tensor.dim());
      dimensions.push_back(fmt::format("{}", dimension));
      arguments.push_back(draw_.chance(30) ? fmt::format("{}.unsqueeze({}).expand({})", name, dimension,
                                                         joined(expandedSizes(tensor, dimension)))
                                           : fmt::format("torch.stack([{0}, {0}], {1})", name, dimension));
    }
    const char* const randomness = draw_.chance(50)   ? ""
                                   : draw_.chance(50) ? ", randomness=\"different\""
                                                      : ", randomness=\"same\"";
    std::string transformed =
        fmt::format("torch.func.vmap({}, in_dims={}{})", function_.name, tupleText(dimensions), randomness);
    const bool isNested = results_.size() == 1 && draw_.chance(20);
    if (isNested) {
      for (size_t index = 0; index < dimensions.size(); ++index) {
        const bool isBatched = dimensions[index] != "None";
        dimensions[index] = isBatched ? "0" : "None";
        arguments[index] += isBatched ? ".unsqueeze(0)" : "";
      }
      transformed = fmt::format("torch.func.vmap({}, in_dims={}{})", transformed, tupleText(dimensions), randomness);
    }
    return fmt::format("{}({}){}", transformed, joined(arguments), isNested ? "[0]" : "") +
           (results_.size() == 1 ? fmt::format("[{}]", draw_.below(2)) : "");
  }
  static std::vector<std::string> expandedSizes(const at::Tensor& tensor, int64_t dimension) {
    std::vector<std::string> sizes(static_cast<size_t>(tensor.dim()) + 1, "-1");
    sizes[static_cast<size_t>(dimension)] = "2";
    return sizes;
  }

  void vmap() {
    add(fmt::format("{} = {}", targets(), mapped()));
    for (const std::string& name : results_) {
      if (results_.size() > 1) {
        add(fmt::format("{0} = {0}[{1}]", name, draw_.below(2)));
      }
    }
  }

  void ownFunction() { add(fmt::format("{} = {}", targets(), ownCall(/*isTransformed=*/false))); }

  /// A class whose forward is the function, with the derivative that is right or another one. torch.func takes it with
  /// `setup_context` alone.
  std::string ownCall(bool isTransformed) {
    const std::string name = newName("Own");
    const std::string saved = joined(tensors_), parameters = joined(function_.parameters);
    const bool setsUp = isTransformed || draw_.chance(45);
    const std::string keeps = fmt::format("        ctx.save_for_backward({})\n", saved);
    std::vector<std::string> others; // kept as they are
    std::string text = fmt::format("class {}(torch.autograd.Function):\n    @staticmethod\n", name);
    text += fmt::format("    def forward({}{}):\n", setsUp ? "" : "ctx, ", parameters);
    std::string keepsOthers, readsOthers;
    for (const std::string& parameter : function_.parameters) {
      if (std::ranges::find(tensors_, parameter) == tensors_.end()) {
        keepsOthers += fmt::format("        ctx.{0} = {0}\n", parameter);
        readsOthers += fmt::format("        {0} = ctx.{0}\n", parameter);
      }
    }
    text += fmt::format("{}        return {}({})\n", setsUp ? "" : keeps + keepsOthers, function_.name, parameters);
    if (setsUp) {
      text += fmt::format("    @staticmethod\n    def setup_context(ctx, inputs, output):\n        {} = inputs\n{}{}",
                          tupleTargets(function_.parameters), keeps, keepsOthers);
    }
    const bool isRight = !isTransformed && draw_.chance(45); // a leaf that is made under a transform breaks a Graph
    const bool isOnce = draw_.chance(isRight ? 35 : 15);
    std::vector<std::string> gradients;
    for (size_t index = 0; index < results_.size(); ++index) {
      gradients.push_back(fmt::format("g{}", index));
    }
    text += fmt::format("    @staticmethod\n{}    def backward(ctx, {}):\n        {} = ctx.saved_tensors\n{}",
                        isOnce ? "    @torch.autograd.function.once_differentiable\n" : "", joined(gradients),
                        tupleTargets(tensors_), readsOthers);
    text += isRight ? rightGradients(gradients) : otherGradients(gradients);
    text += fmt::format("def {}({}):\n    pass\n", function_.name, parameters); // the classes know it
    language::Case made = parser::parseDefinitions(text);
    std::ranges::move(made.customFunctions, std::back_inserter(form_.customFunctions));
    return fmt::format("{}.apply({})", name, parameters);
  }
  static std::string tupleTargets(const std::vector<std::string>& names) {
    return names.size() == 1 ? "(" + names[0] + ",)" : joined(names);
  }

  /// The function's own, computed again.
  std::string rightGradients(const std::vector<std::string>& gradients) {
    std::string text = "        with torch.enable_grad():\n";
    std::vector<std::string> again = function_.parameters, watched, returned;
    for (const std::string& name : differentiable_) {
      text += fmt::format("            {0}_ = {0}.detach().requires_grad_()\n", name);
      std::ranges::replace(again, name, name + "_");
      watched.push_back(name + "_");
    }
    text += fmt::format("            out = {}({})\n", function_.name, joined(again));
    text += fmt::format("        gradients = torch.autograd.grad({}, [{}], {}, allow_unused=True)\n",
                        results_.size() == 1 ? "[out]" : "list(out)", joined(watched),
                        results_.size() == 1 ? "[" + gradients[0] + "]" : "[" + joined(gradients) + "]");
    size_t next = 0;
    for (const std::string& name : function_.parameters) {
      const bool isWatched = std::ranges::find(differentiable_, name) != differentiable_.end();
      returned.push_back(isWatched ? fmt::format("gradients[{}]", next++) : "None");
    }
    return text + fmt::format("        return {}\n", joined(returned));
  }

  /// Any of the right sizes and dtypes.
  std::string otherGradients(const std::vector<std::string>& gradients) {
    static constexpr std::string_view kOfOne[] = {"{0} * {1}.sum()", "{0} * 2", "-{0}", "{0}.clone() * {1}.mean()",
                                                  "torch.ones_like({0})"};
    std::vector<std::string> returned;
    for (size_t index = 0; index < function_.parameters.size(); ++index) {
      const std::string& name = function_.parameters[index];
      if (std::ranges::find(differentiable_, name) == differentiable_.end()) {
        returned.emplace_back("None");
        continue;
      }
      const std::string gradient = fmt::format(fmt::runtime(kOfOne[draw_.below(std::ssize(kOfOne))]), name,
                                               gradients[static_cast<size_t>(draw_.below(std::ssize(gradients)))]);
      returned.push_back(draw_.chance(30) ? fmt::format("{} if ctx.needs_input_grad[{}] else None", gradient, index)
                                          : gradient);
    }
    return fmt::format("        return {}\n", joined(returned));
  }

  const DecoderState& state_;
  const Function& function_;
  const std::vector<std::string>& results_;
  Draw& draw_;
  int& number_;
  std::vector<std::string> tensors_, differentiable_; // parameters
  bool hasFloatingResults_ = false;
  FunctionForm form_;
};

/// What is kept of a tensor, and what is given back for it.
struct SavedTensorHooks {
  std::string_view pack, unpack;
};
constexpr SavedTensorHooks kSavedTensorHooks[] = {{"t.clone()", "t"},
                                                  {"t", "t.clone()"},
                                                  {"t.detach() * 2", "t * 0.5"},
                                                  {"(t, t.shape)", "t[0].view(t[1])"},
                                                  {"t.detach()", "t * 2"}};

} // namespace

std::optional<FunctionForm> FunctionForms::of(const Function& function, const std::vector<std::string>& results,
                                              Draw& draw) {
  if (draw.chance(kControlFlowPercent)) {
    if (std::vector<StatementPtr> made = controlFlowOf(state_, function, results, draw); !made.empty()) {
      return FunctionForm{.statements = std::move(made)};
    }
  }
  return FormWriter(state_, function, results, draw, number_).write();
}

std::vector<StatementPtr> FunctionForms::rebinding(Function function, const std::vector<std::string>& results) {
  std::vector<StatementPtr> made;
  for (const std::string& name : results) {
    made.push_back(parser::parseStatement(name + " = None"));
  }
  language::Statement rebound{};
  rebound.kind = language::StatementKind::kNonlocal;
  std::ranges::transform(results, std::back_inserter(rebound.targets), language::makeName);
  function.body.insert(function.body.begin(), std::make_shared<const language::Statement>(std::move(rebound)));
  const std::string call = fmt::format("{}({})", function.name, joined(function.parameters));
  made.push_back(definitionOf(std::move(function)));
  made.push_back(parser::parseStatement(call));
  return made;
}

FunctionForm FunctionForms::underSavedTensorHooks(std::vector<StatementPtr> body, Draw& draw) {
  const SavedTensorHooks& hooks = kSavedTensorHooks[draw.below(std::ssize(kSavedTensorHooks))];
  const std::string pack = fmt::format("pack{}", number_), unpack = fmt::format("unpack{}", number_);
  ++number_;
  language::Statement with{};
  with.kind = language::StatementKind::kWith;
  with.items = {language::makeCall(language::makeDotted("torch.autograd.graph.saved_tensors_hooks"),
                                   {language::makeName(pack), language::makeName(unpack)})};
  with.body = std::move(body);
  return {.statements = {std::make_shared<const language::Statement>(std::move(with))},
          .functions = {parser::parseFunction(fmt::format("def {}(t):\n    return {}\n", pack, hooks.pack)),
                        parser::parseFunction(fmt::format("def {}(t):\n    return {}\n", unpack, hooks.unpack))}};
}

} // namespace touchstone::decoder
