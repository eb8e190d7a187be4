#include "program/evaluator/EvaluatorContexts.h"
#include "program/evaluator/EvaluatorState.h"

#include <fmt/format.h>

namespace touchstone::graph {
namespace {

bool isRangeCall(const Expr& expr) {
  return expr.kind == ExprKind::kCall && expr.keywords.empty() && expr.children[0]->kind == ExprKind::kName &&
         expr.children[0]->text == "range";
}

/// A region of autocast that whoever takes callables sees begin and end.
class RecordedRegion : public Context {
 public:
  RecordedRegion(const Evaluator::State& state, const ValueList& positional, const KeywordList& keywords)
      : state_(state), region_(state.callCallable(autocastRegion(positional, keywords))) {}
  ~RecordedRegion() override { region_.as<HandlePtr>()->remove(); }
  void leave() override { state_.callCallable(endOfRegion(region_)); }

 private:
  const Evaluator::State& state_;
  Value region_;
};

} // namespace

Flow Evaluator::State::executeBody(const std::vector<StatementPtr>& body, Frame& frame) {
  for (const StatementPtr& statement : body) {
    if (execute(*statement, frame) == Flow::kReturn) {
      return Flow::kReturn;
    }
  }
  return Flow::kNext;
}

Flow Evaluator::State::execute(const Statement& statement, Frame& frame) {
  const auto index = static_cast<int>(statementsRun);
  running = &statement;
  countStatement();
  if (options.onStatement) {
    options.onStatement(statement, index);
  }
  switch (statement.kind) {
    case StatementKind::kExpression: evaluate(*statement.value, frame); return Flow::kNext;
    case StatementKind::kAssign: {
      Value value = evaluate(*statement.value, frame, Use::kMoved);
      if (statement.targets.size() == 1 && statement.targets[0]->kind != ExprKind::kStarred) {
        assign(*statement.targets[0], std::move(value), frame);
      } else {
        unpack(statement.targets, value, frame);
      }
      return Flow::kNext;
    }
    case StatementKind::kAugmentedAssign: executeAugmented(statement, frame); return Flow::kNext;
    case StatementKind::kDelete:
      for (const ExprPtr& target : statement.targets) {
        remove(*target, frame);
      }
      return Flow::kNext;
    case StatementKind::kReturn:
      frame.returned = statement.value ? evaluate(*statement.value, frame, Use::kMoved) : Value();
      return Flow::kReturn;
    case StatementKind::kIf:
      return executeBody(truth(evaluate(*statement.value, frame)) ? statement.body : statement.orElse, frame);
    case StatementKind::kWhile:
      while (truth(evaluate(*statement.value, frame))) {
        if (executeBody(statement.body, frame) == Flow::kReturn) {
          return Flow::kReturn;
        }
        running = &statement;
        countStatement(); // a body of nothing would never count
      }
      return Flow::kNext;
    case StatementKind::kFor: return executeFor(statement, frame);
    case StatementKind::kWith: return executeWith(statement, 0, frame);
    case StatementKind::kPass: return Flow::kNext;
  }
  raiseError("SystemError", "The statement is of a kind that the evaluator does not know.");
}

Flow Evaluator::State::executeFor(const Statement& statement, Frame& frame) {
  auto runBody = [&](Value item) {
    if (statement.targets.size() == 1 && statement.targets[0]->kind != ExprKind::kStarred) {
      assign(*statement.targets[0], std::move(item), frame);
    } else {
      unpack(statement.targets, item, frame);
    }
    return executeBody(statement.body, frame);
  };
  const Expr& iterated = *statement.value;
  if (isRangeCall(iterated) && !findName("range", frame)) {
    ValueList limits;
    KeywordList none;
    evaluateArguments(iterated, frame, limits, none);
    const RangeLimits range = rangeLimits(limits);
    for (int64_t i = 0; i < range.count; ++i) {
      if (runBody(Value(Value::Payload(range.start + i * range.step))) == Flow::kReturn) {
        return Flow::kReturn;
      }
    }
    return Flow::kNext;
  }
  Value value = evaluate(iterated, frame, Use::kOpened);
  readsItems(value);
  if (const auto* list = value.maybe<ListPtr>()) {
    // A list that the body changes is seen as it is at each step.
    for (size_t i = 0; i < (*list)->items.size(); ++i) {
      if (runBody((*list)->items[i]) == Flow::kReturn) {
        return Flow::kReturn;
      }
    }
    return Flow::kNext;
  }
  for (Value& item : iterate(value)) {
    if (runBody(std::move(item)) == Flow::kReturn) {
      return Flow::kReturn;
    }
  }
  return Flow::kNext;
}

Flow Evaluator::State::executeWith(const Statement& statement, size_t item, Frame& frame) {
  if (item == statement.items.size()) {
    return executeBody(statement.body, frame);
  }
  const std::unique_ptr<Context> context = enterItem(*statement.items[item], frame);
  const Flow flow = executeWith(statement, item + 1, frame);
  context->leave();
  return flow;
}

std::unique_ptr<Context> Evaluator::State::enterItem(const Expr& item, Frame& frame) {
  const std::string* name = contextName(item);
  if (!name || findName("torch", frame)) {
    Value value = evaluate(item, frame);
    raiseError("TypeError", fmt::format("'{}' object does not support the context manager protocol", value.typeName()));
  }
  ValueList positional;
  KeywordList keywords;
  evaluateArguments(item, frame, positional, keywords);
  if (*name == "autocast" && options.onCallable) {
    return std::make_unique<RecordedRegion>(*this, positional, keywords);
  }
  return enterContext(*name, positional, keywords, inDouble);
}

void Evaluator::State::executeAugmented(const Statement& statement, Frame& frame) {
  const std::string op = statement.text.substr(0, statement.text.size() - 1);
  const Expr& target = *statement.targets[0];
  if (target.kind == ExprKind::kSubscript) {
    const Value object = evaluate(*target.children[0], frame);
    const Value index = evaluateIndex(target, frame);
    const Value before = getItem(object, index);
    setItem(object, index, augmented(op, before, evaluate(*statement.value, frame)));
  } else if (target.kind == ExprKind::kAttribute) {
    const Value object = evaluate(*target.children[0], frame);
    const Value before = getAttribute(object, target.text);
    setAttribute(object, target.text, augmented(op, before, evaluate(*statement.value, frame)));
  } else {
    const Value before = evaluate(target, frame);
    assign(target, augmented(op, before, evaluate(*statement.value, frame)), frame);
  }
}

void Evaluator::State::assign(const Expr& target, Value value, Frame& frame) {
  switch (target.kind) {
    case ExprKind::kName: frame.environment->names[target.text] = std::move(value); return;
    case ExprKind::kTuple:
    case ExprKind::kList: unpack(target.children, value, frame); return;
    case ExprKind::kAttribute: {
      const Value object = evaluate(*target.children[0], frame, Use::kOpened);
      readsAttribute(object, target.text);
      if (object.isTensor() && options.reads != nullptr) { // `requires_grad` of a leaf only
        options.reads->fact(object.tensor(), Fact::kLeaf);
      }
      setAttribute(object, target.text, value);
      return;
    }
    case ExprKind::kSubscript: {
      const Value object = evaluate(*target.children[0], frame, Use::kOpened);
      const Value index = evaluateIndex(target, frame);
      readsItem(object, index);
      if (object.isTensor()) {
        reads(value);
      }
      setItem(object, index, value);
      return;
    }
    default: raiseError("SyntaxError", "cannot assign to this expression");
  }
}

void Evaluator::State::unpack(const std::vector<ExprPtr>& targets, const Value& value, Frame& frame) {
  readsItems(value);
  ValueList items = iterate(value, "cannot unpack non-iterable {} object");
  size_t starred = targets.size();
  for (size_t i = 0; i < targets.size(); ++i) {
    if (targets[i]->kind == ExprKind::kStarred) {
      starred = i;
    }
  }
  const bool hasRest = starred < targets.size();
  const size_t fixed = targets.size() - (hasRest ? 1 : 0);
  if (items.size() < fixed) {
    raiseError("ValueError", fmt::format("not enough values to unpack (expected {}{}, got {})",
                                         hasRest ? "at least " : "", fixed, items.size()));
  }
  if (!hasRest && items.size() > fixed) {
    raiseError("ValueError", fmt::format("too many values to unpack (expected {})", fixed));
  }
  size_t next = 0;
  for (size_t i = 0; i < targets.size(); ++i) {
    if (i != starred) {
      assign(*targets[i], std::move(items[next++]), frame);
      continue;
    }
    ValueList rest;
    for (const size_t end = items.size() - (targets.size() - i - 1); next < end; ++next) {
      rest.push_back(std::move(items[next]));
    }
    assign(*targets[i]->children[0], Value::list(std::move(rest)), frame);
  }
}

void Evaluator::State::remove(const Expr& target, Frame& frame) {
  switch (target.kind) {
    case ExprKind::kName:
      if (frame.environment->names.erase(target.text) == 0) {
        raiseUnbound(target.text, frame);
      }
      return;
    case ExprKind::kSubscript: {
      const Value object = evaluate(*target.children[0], frame);
      deleteItem(object, evaluateIndex(target, frame));
      return;
    }
    case ExprKind::kAttribute: deleteAttribute(evaluate(*target.children[0], frame), target.text); return;
    case ExprKind::kTuple:
    case ExprKind::kList:
      for (const ExprPtr& child : target.children) {
        remove(*child, frame);
      }
      return;
    default: raiseError("SyntaxError", "cannot delete this expression");
  }
}

} // namespace touchstone::graph
