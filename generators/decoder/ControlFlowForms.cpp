#include "generators/decoder/ControlFlowForms.h"

#include "generators/catalogue/Exclusions.h"
#include "generators/decoder/FormText.h"
#include "program/parser/CaseParser.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace touchstone::decoder {

using catalogue::Draw;
using language::Function;
using language::StatementPtr;

namespace {

bool shareMemory(const at::Tensor& one, const at::Tensor& other) {
  return one.storage().is_alias_of(other.storage());
}

bool areAlike(const at::Tensor& one, const at::Tensor& other) {
  return one.sizes() == other.sizes() && one.strides() == other.strides() && one.scalar_type() == other.scalar_type();
}

/// `requires_grad=True`, which torch.compile does not take in a function of control flow.
bool makesLeaves(const Function& function) {
  return language::anyExpression(function.body, [](const language::Expr& expr) {
    return std::ranges::find(expr.keywords, "requires_grad") != expr.keywords.end();
  });
}

class ControlFlowWriter {
 public:
  ControlFlowWriter(const DecoderState& state, const Function& function, const std::vector<std::string>& results,
                    Draw& draw)
      : state_(state), function_(function), results_(results), draw_(draw) {
    for (const std::string& name : function.parameters) {
      if (tensorOf(name).defined()) {
        tensors_.push_back(name);
      }
    }
  }

  std::vector<StatementPtr> write() {
    const bool areTensors =
        std::ranges::all_of(results_, [&](const std::string& name) { return tensorOf(name).defined(); });
    if (results_.empty() || !areTensors || tensors_.empty() || makesLeaves(function_)) {
      return {};
    }
    returnsMemory_ = std::ranges::any_of(results_, [&](const std::string& result) {
      return std::ranges::any_of(tensors_, [&](const std::string& name) { return areOneMemory(name, result); });
    });
    isFloating_ = results_.size() == 1 && tensorOf(results_[0]).is_floating_point();
    if (haveSharedMemory(tensors_) || haveSharedMemory(results_) ||
        (returnsMemory_ && results_.size() > 1)) { // branches and steps neither take nor return memory twice
      return {};
    }
    using Form = void (ControlFlowWriter::*)();
    std::vector<Form> forms{&ControlFlowWriter::map};
    if (mayMake(at::kBool)) {
      forms.insert(forms.end(), 2, &ControlFlowWriter::cond);
    }
    if (isFloating_ && tensorOf(results_[0]).is_contiguous()) {
      if (mayMake(at::kBool) && mayMake(at::kLong)) {
        forms.insert(forms.end(), 3, &ControlFlowWriter::whileLoop); // few calls have one such result
      }
      forms.insert(forms.end(), 3, &ControlFlowWriter::scan);
      forms.insert(forms.end(), 3, &ControlFlowWriter::associativeScan);
      if (tensorOf(results_[0]).dim() > 0 && tensorOf(results_[0]).numel() > 0) {
        forms.insert(forms.end(), 3, &ControlFlowWriter::overRows);
      }
    }
    (this->*forms[static_cast<size_t>(draw_.below(std::ssize(forms)))])();
    return std::move(statements_);
  }

 private:
  bool mayMake(at::ScalarType dtype) const {
    const auto& exclusions = state_.options.features.exclusions;
    return exclusions == nullptr || !exclusions->excludes(dtype);
  }
  at::Tensor tensorOf(const std::string& name) const { return state_.tensorNamed(name); }
  bool areOneMemory(const std::string& one, const std::string& other) const {
    return shareMemory(tensorOf(one), tensorOf(other));
  }
  bool haveSharedMemory(const std::vector<std::string>& names) const {
    for (size_t index = 0; index < names.size(); ++index) {
      const auto isSame = [&](const std::string& other) { return areOneMemory(names[index], other); };
      if (std::any_of(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(index), isSame)) {
        return true;
      }
    }
    return false;
  }

  void add(const std::string& text) { statements_.push_back(parser::parseStatement(text)); }
  void bind(const std::string& value) { add(fmt::format("{} = {}", joined(results_), value)); }
  template <size_t size>
  std::string_view oneOf(const std::string_view (&texts)[size]) {
    return texts[draw_.below(size)];
  }

  std::string call(const std::map<std::string, std::string>& others = {}) const {
    std::vector<std::string> arguments;
    for (const std::string& name : function_.parameters) {
      const auto other = others.find(name);
      arguments.push_back(other == others.end() ? name : other->second);
    }
    return fmt::format("{}({})", function_.name, joined(arguments));
  }

  /// The call in memory of its own, perhaps of other values. `others`: what stands for parameters.
  std::string ownCall(std::map<std::string, std::string> others = {}) {
    static constexpr std::string_view kArguments[] = {"-{}", "{} * 2", "{}.sin()"};
    static constexpr std::string_view kResults[] = {"{} * 2", "{}.sin()", "{} + 1", "{}.clone()"};
    for (const std::string& name : tensors_) {
      const at::Tensor tensor = tensorOf(name);
      if (tensor.is_floating_point() && tensor.is_contiguous() && draw_.chance(20)) {
        const std::string before = others.contains(name) ? others[name] : name;
        others[name] = fmt::format(fmt::runtime(oneOf(kArguments)), before);
      }
    }
    const std::string plain = call(others);
    return isFloating_ && (returnsMemory_ || draw_.chance(50)) ? fmt::format(fmt::runtime(oneOf(kResults)), plain)
           : returnsMemory_                                    ? plain + ".clone()"
                                                               : plain;
  }
  /// A function of the tensors; numbers stay what they are around it.
  std::string overTensors(const std::string& body) const {
    return fmt::format("lambda {}: {}", joined(tensors_), body);
  }
  bool mayStandAlone() const { return tensors_.size() == function_.parameters.size() && !returnsMemory_; }

  /// `y2 = torch.cond(x0.sum() > 0, helper_0, lambda x0, y1: helper_0(x0, y1) * 2, (x0, y1))`
  void cond() { bind(conditional(/*mayNest=*/true)); }
  std::string conditional(bool mayNest) {
    const std::string condition = predicate();
    if (draw_.chance(25)) { // tensors around the branches
      const std::string one = ownCall(), other = ownCall();
      return fmt::format("torch.cond({}, lambda: {}, lambda: {})", condition, one, other);
    }
    const std::string one = branch(mayNest), other = branch(mayNest);
    return fmt::format("torch.cond({}, {}, {}, {})", condition, one, other, tupleText(tensors_));
  }
  std::string branch(bool mayNest) {
    if (mayStandAlone() && draw_.chance(35)) {
      return function_.name;
    }
    return overTensors(mayNest && draw_.chance(30) ? conditional(/*mayNest=*/false) : ownCall());
  }
  std::string predicate() {
    static constexpr std::string_view kOfReal[] = {"{}.sum() > 0", "{}.sum() <= 0", "{}.sum() > 1", "{}.numel() > 2"};
    const std::string& name = tensors_[static_cast<size_t>(draw_.below(std::ssize(tensors_)))];
    return tensorOf(name).is_complex() ? fmt::format("{}.abs().sum() > 1", name)
                                       : fmt::format(fmt::runtime(oneOf(kOfReal)), name);
  }

  /// `y2 = torch._higher_order_ops.map(lambda x0, y1: helper_0(x0, y1), torch.stack([x0, x0]), y1)[1]`; what is not given stays
  /// what it is around it.
  void map() {
    std::vector<std::string> rows, given;
    const int64_t first = draw_.below(std::ssize(tensors_)); // this one at least
    for (size_t index = 0; index < tensors_.size(); ++index) {
      if (static_cast<int64_t>(index) == first || draw_.chance(30)) {
        rows.push_back(tensors_[index]);
      } else if (draw_.chance(50)) {
        given.push_back(tensors_[index]);
      }
    }
    std::map<std::string, std::string> others;
    std::vector<std::string> parameters = given, arguments;
    for (size_t index = 0; index < rows.size(); ++index) {
      arguments.push_back(fmt::format("torch.stack([{0}, {0}])", rows[index]));
      others[rows[index]] = rows.size() == 1 ? "t" : fmt::format("t[{}]", index);
    }
    parameters.insert(parameters.begin(), "t");
    const std::string over = arguments.size() == 1 ? arguments[0] : tupleText(arguments);
    given.insert(given.begin(), over);
    bind(fmt::format("torch._higher_order_ops.map(lambda {}: {}, {})", joined(parameters), ownCall(others),
                     joined(given)));
    for (const std::string& name : results_) {
      add(fmt::format("{0} = {0}[{1}]", name, draw_.below(2)));
    }
  }

  /// A tensor that is laid out as the result, to stand for what a step makes; empty: none is.
  std::string likeResult() const {
    const auto found = std::ranges::find_if(
        tensors_, [&](const std::string& name) { return areAlike(tensorOf(name), tensorOf(results_[0])); });
    return found == tensors_.end() ? "" : *found;
  }

  /// Two or three steps with the function in each, from what it makes.
  void whileLoop() {
    bind(call());
    const std::string like = likeResult();
    const std::string step = like.empty() || draw_.chance(30) ? "t * 0.5 + " + ownCall() : ownCall({{like, "t"}});
    bind(
        fmt::format("torch.while_loop(lambda n, t: n < {}, lambda n, t: (n + 1, {}), "
                    "(torch.zeros((), dtype=torch.int64), {}))[1]",
                    draw_.between(2, 3), step, results_[0])); // by values, offsets would depend on them
  }

  /// Over two of one argument, from what the function makes of it.
  void scan() {
    static constexpr std::string_view kItems[] = {"[0]", "[0]", "[1][0]", "[1][1]"};
    bind(call());
    const std::string& name = tensors_[static_cast<size_t>(draw_.below(std::ssize(tensors_)))];
    const std::string like = likeResult();
    std::string carried = "c + " + ownCall({{name, "t"}});
    if (!like.empty() && like != name && draw_.chance(60)) {
      carried = ownCall({{like, "c"}, {name, "t"}});
    }
    const std::string_view order = direction(), item = oneOf(kItems);
    bind(fmt::format("torch._higher_order_ops.scan(lambda c, t: ({}, c * 2), {}, torch.stack([{}, {}]){}){}", carried,
                     results_[0], name, name, order, item));
  }
  const char* direction() { return draw_.chance(50) ? ", reverse=True" : ""; }

  /// `y2 = torch._higher_order_ops.associative_scan(lambda a, b: a + b, torch.stack([helper_0(x0), …]), 0, combine_mode="generic")[1]`
  void associativeScan() {
    std::vector<std::string> steps;
    for (int64_t count = draw_.between(2, 4); count > 0; --count) {
      steps.push_back(ownCall());
    }
    bind(fmt::format("{}[{}]", associativeScanOf(fmt::format("torch.stack([{}])", joined(steps)), 0),
                     draw_.below(std::ssize(steps))));
  }
  std::string associativeScanOf(const std::string& tensor, int64_t dimension) {
    static constexpr std::string_view kAssociative[] = {"a + b", "a * b", "torch.maximum(a, b)"};
    const std::string_view combined = oneOf(kAssociative), order = direction();
    return fmt::format("torch._higher_order_ops.associative_scan(lambda a, b: {}, {}, {}, combine_mode=\"generic\"{})",
                       combined, tensor, dimension, order);
  }

  /// What the function makes, along one of its dimensions.
  void overRows() {
    static constexpr std::string_view kUnary[] = {"sin", "cos", "tanh", "sigmoid", "relu", "abs", "neg"};
    bind(call());
    const std::string& name = results_[0];
    const int64_t dimension = draw_.chance(60) ? 0 : draw_.below(tensorOf(name).dim());
    const std::string_view unary = oneOf(kUnary);
    switch (draw_.below(5)) {
      case 0: return bind(fmt::format("torch._higher_order_ops.map(lambda t: t.{}() * 2, {})", unary, name));
      case 1:
      case 2: return bind(associativeScanOf(name, dimension));
      default:
        return bind(
            fmt::format("torch._higher_order_ops.scan(lambda c, t: (c + t, c.{0}() * t), "
                        "{1}.select({2}, 0) * 0, {1}, dim={2}{3})[1]",
                        unary, name, dimension, direction()));
    }
  }

  const DecoderState& state_;
  const Function& function_;
  const std::vector<std::string>& results_;
  Draw& draw_;
  std::vector<std::string> tensors_; // parameters
  bool isFloating_ = false; // there is one result
  bool returnsMemory_ = false; // of a parameter
  std::vector<StatementPtr> statements_;
};

} // namespace

std::vector<StatementPtr> controlFlowOf(const DecoderState& state, const Function& function,
                                        const std::vector<std::string>& results, Draw& draw) {
  return ControlFlowWriter(state, function, results, draw).write();
}

} // namespace touchstone::decoder
