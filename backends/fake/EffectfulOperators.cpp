#include "backends/fake/EffectfulOperators.h"

#include "backends/fake/EffectRecord.h"
#include "graph/runtime/Interpreter.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>

namespace touchstone::fake {

namespace {

struct Entry {
  EffectfulOperator op;
  std::vector<c10::RegistrationHandleRAII> registered;
};

struct Table {
  std::shared_mutex mutex;
  std::map<std::string, Entry, std::less<>> byTarget;
};

bool hasAliases(const c10::FunctionSchema& schema) {
  const auto aliases = [](const c10::Argument& argument) { return argument.alias_info() != nullptr; };
  return std::any_of(schema.arguments().begin(), schema.arguments().end(), aliases) ||
         std::any_of(schema.returns().begin(), schema.returns().end(), aliases);
}

/// `with_effects::aten___print(Tensor token, str s) -> Tensor`
c10::FunctionSchema withToken(const std::string& target, const c10::FunctionSchema& schema) {
  std::vector<c10::Argument> arguments{c10::Argument("token", c10::TensorType::get())};
  for (const c10::Argument& argument : schema.arguments()) { // keywords stand in order
    arguments.emplace_back(argument.name(), argument.type(), argument.real_type(), argument.N(),
                           argument.default_value());
  }
  std::vector<c10::Argument> returns{c10::Argument("", c10::TensorType::get())};
  returns.insert(returns.end(), schema.returns().begin(), schema.returns().end());
  const std::string name = withEffectsTarget(target);
  c10::FunctionSchema made(name.substr(0, name.find('.')), schema.overload_name(), std::move(arguments),
                           std::move(returns));
  made.setAliasAnalysis(c10::AliasAnalysisKind::FROM_SCHEMA);
  return made;
}

/// The kernel of such an operator.
class WithEffects final : public c10::OperatorKernel {
 public:
  explicit WithEffects(c10::OperatorHandle effect) : effect_(std::move(effect)) {}

  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack* stack) {
    const size_t base = stack->size() - effect_.schema().arguments().size() - 1;
    EffectRecord::callNoting(effect_, stack);
    (*stack)[base] = makeToken(); // behind it the results
  }

 private:
  c10::OperatorHandle effect_;
};

Entry entryOf(const EffectfulOperator& op) {
  const std::optional<c10::OperatorHandle> effect = runtime::findOperator(op.target);
  if (!effect) {
    throw std::invalid_argument("There is no operator `" + op.target + "` to have effects.");
  }
  if (hasAliases(effect->schema())) {
    throw std::invalid_argument("`" + op.target +
                                "` writes to its arguments or returns them; an operator with effects must do neither.");
  }
  const c10::FunctionSchema schema = withToken(op.target, effect->schema());
  Entry entry{op, {}};
  c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
  entry.registered.push_back(dispatcher.registerDef(schema, "effects"));
  entry.registered.push_back(
      dispatcher.registerImpl(schema.operator_name(), c10::DispatchKey::CompositeExplicitAutograd,
                              c10::KernelFunction::makeFromBoxedFunctor(std::make_unique<WithEffects>(*effect)),
                              std::nullopt, nullptr, "effects"));
  return entry;
}

Table& table() {
  static Table* const made = [] {
    static torch::Library* const library = [] { // never freed: Graphs name its operators as long as the process runs
      auto* tokens = new torch::Library(torch::Library::FRAGMENT, "touchstone", std::nullopt, __FILE__, __LINE__);
      tokens->def(torch::schema("make_token() -> Tensor", c10::AliasAnalysisKind::CONSERVATIVE));
      tokens->impl("make_token", torch::dispatch(c10::DispatchKey::CompositeExplicitAutograd, TORCH_FN(makeToken)));
      tokens->def(torch::schema("sink_tokens(Tensor[] tokens) -> ()", c10::AliasAnalysisKind::CONSERVATIVE));
      tokens->impl("sink_tokens",
                   torch::dispatch(c10::DispatchKey::CompositeExplicitAutograd, [](const std::vector<at::Tensor>&) {}));
      return tokens;
    }();
    (void)library;
    auto* filled = new Table;
    for (const EffectfulOperator& op :
         {EffectfulOperator{"aten::_print", /*mayRaise=*/false}, EffectfulOperator{"aten::_assert_async"},
          EffectfulOperator{"aten::_assert_async.msg"}}) {
      filled->byTarget.emplace(op.target, entryOf(op));
    }
    return filled;
  }();
  return *made;
}

/// From the start: a Graph that is read from a file names these operators.
[[maybe_unused]] const Table& registeredAtStart = table();

} // namespace

at::Tensor makeToken() {
  return at::empty({0}, at::TensorOptions(at::kCPU).dtype(at::kFloat));
}

void registerEffectfulOperator(const EffectfulOperator& op) {
  Table& all = table();
  const std::unique_lock lock(all.mutex);
  const auto known = all.byTarget.find(op.target);
  if (known != all.byTarget.end()) {
    known->second.op = op;
  } else {
    all.byTarget.emplace(op.target, entryOf(op));
  }
}

std::vector<EffectfulOperator> effectfulOperators() {
  Table& all = table();
  const std::shared_lock lock(all.mutex);
  std::vector<EffectfulOperator> ops;
  for (const auto& [target, entry] : all.byTarget) {
    ops.push_back(entry.op);
  }
  return ops;
}

bool isEffectful(std::string_view target) {
  Table& all = table();
  const std::shared_lock lock(all.mutex);
  return all.byTarget.contains(target);
}

bool isWithEffects(std::string_view target) {
  return target.starts_with(runtime::kWithEffects);
}

} // namespace touchstone::fake
