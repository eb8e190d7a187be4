#include "program/evaluator/EvaluatorContexts.h"
#include "program/evaluator/EvaluatorState.h"

#include <fmt/format.h>

namespace touchstone::evaluator {
namespace {

bool isRangeCall(const language::Expr& expr) {
  return expr.kind == language::ExprKind::kCall && expr.keywords.empty() &&
         expr.children[0]->kind == language::ExprKind::kName && expr.children[0]->text == "range";
}

/// A region of autocast that whoever takes callables sees begin and end.
class RecordedRegion : public Context {
 public:
  RecordedRegion(const Evaluator::State& state, const values::ValueList& positional,
                 const torch_names::KeywordList& keywords)
      : state_(state), region_(state.callCallable(autocastRegion(positional, keywords))) {}
  ~RecordedRegion() override { region_.as<values::HandlePtr>()->remove(); }
  void leave() override { state_.callCallable(endOfRegion(region_)); }

 private:
  const Evaluator::State& state_;
  values::Value region_;
};

} // namespace

Flow Evaluator::State::executeBody(const std::vector<language::StatementPtr>& body, Frame& frame) {
  for (const language::StatementPtr& statement : body) {
    if (execute(*statement, frame) == Flow::kReturn) {
      return Flow::kReturn;
    }
  }
  return Flow::kNext;
}

Flow Evaluator::State::execute(const language::Statement& statement, Frame& frame) {
  const auto index = static_cast<int>(statementsRun);
  running = &statement;
  countStatement();
  if (options.onStatement) {
    options.onStatement(statement, index);
  }
  switch (statement.kind) {
    case language::StatementKind::kExpression: evaluate(*statement.value, frame); return Flow::kNext;
    case language::StatementKind::kAssign: {
      values::Value value = evaluate(*statement.value, frame, Use::kMoved);
      if (statement.targets.size() == 1 && statement.targets[0]->kind != language::ExprKind::kStarred) {
        assign(*statement.targets[0], std::move(value), frame);
      } else {
        unpack(statement.targets, value, frame);
      }
      return Flow::kNext;
    }
    case language::StatementKind::kAugmentedAssign: executeAugmented(statement, frame); return Flow::kNext;
    case language::StatementKind::kDelete:
      for (const language::ExprPtr& target : statement.targets) {
        remove(*target, frame);
      }
      return Flow::kNext;
    case language::StatementKind::kReturn:
      frame.returned = statement.value ? evaluate(*statement.value, frame, Use::kMoved) : values::Value();
      return Flow::kReturn;
    case language::StatementKind::kIf:
      return executeBody(truth(evaluate(*statement.value, frame)) ? statement.body : statement.orElse, frame);
    case language::StatementKind::kWhile:
      while (truth(evaluate(*statement.value, frame))) {
        if (executeBody(statement.body, frame) == Flow::kReturn) {
          return Flow::kReturn;
        }
        running = &statement;
        countStatement(); // a body of nothing would never count
      }
      return Flow::kNext;
    case language::StatementKind::kFor: return executeFor(statement, frame);
    case language::StatementKind::kWith: return executeWith(statement, 0, frame);
    case language::StatementKind::kPass: return Flow::kNext;
  }
  raiseError("SystemError", "The statement is of a kind that the evaluator does not know.");
}

Flow Evaluator::State::executeFor(const language::Statement& statement, Frame& frame) {
  auto runBody = [&](values::Value item) {
    if (statement.targets.size() == 1 && statement.targets[0]->kind != language::ExprKind::kStarred) {
      assign(*statement.targets[0], std::move(item), frame);
    } else {
      unpack(statement.targets, item, frame);
    }
    return executeBody(statement.body, frame);
  };
  const language::Expr& iterated = *statement.value;
  if (isRangeCall(iterated) && !findName("range", frame)) {
    values::ValueList limits;
    torch_names::KeywordList none;
    evaluateArguments(iterated, frame, limits, none);
    const RangeLimits range = rangeLimits(limits);
    for (int64_t i = 0; i < range.count; ++i) {
      if (runBody(values::Value(values::Value::Payload(range.start + i * range.step))) == Flow::kReturn) {
        return Flow::kReturn;
      }
    }
    return Flow::kNext;
  }
  values::Value value = evaluate(iterated, frame, Use::kOpened);
  readsItems(value);
  if (const auto* list = value.maybe<values::ListPtr>()) {
    // A list that the body changes is seen as it is at each step.
    for (size_t i = 0; i < (*list)->items.size(); ++i) {
      if (runBody((*list)->items[i]) == Flow::kReturn) {
        return Flow::kReturn;
      }
    }
    return Flow::kNext;
  }
  for (values::Value& item : iterate(value)) {
    if (runBody(std::move(item)) == Flow::kReturn) {
      return Flow::kReturn;
    }
  }
  return Flow::kNext;
}

Flow Evaluator::State::executeWith(const language::Statement& statement, size_t item, Frame& frame) {
  if (item == statement.items.size()) {
    return executeBody(statement.body, frame);
  }
  const std::unique_ptr<Context> context = enterItem(*statement.items[item], frame);
  const Flow flow = executeWith(statement, item + 1, frame);
  context->leave();
  return flow;
}

std::unique_ptr<Context> Evaluator::State::enterItem(const language::Expr& item, Frame& frame) {
  const std::string* name = contextName(item);
  if (!name || findName("torch", frame)) {
    values::Value value = evaluate(item, frame);
    raiseError("TypeError", fmt::format("'{}' object does not support the context manager protocol", value.typeName()));
  }
  values::ValueList positional;
  torch_names::KeywordList keywords;
  evaluateArguments(item, frame, positional, keywords);
  if (*name == "autocast" && options.onCallable) {
    return std::make_unique<RecordedRegion>(*this, positional, keywords);
  }
  return enterContext(*name, positional, keywords, inDouble);
}

void Evaluator::State::executeAugmented(const language::Statement& statement, Frame& frame) {
  const std::string op = statement.text.substr(0, statement.text.size() - 1);
  const language::Expr& target = *statement.targets[0];
  if (target.kind == language::ExprKind::kSubscript) {
    const values::Value object = evaluate(*target.children[0], frame);
    const values::Value index = evaluateIndex(target, frame);
    const values::Value before = getItem(object, index);
    setItem(object, index, augmented(op, before, evaluate(*statement.value, frame)));
  } else if (target.kind == language::ExprKind::kAttribute) {
    const values::Value object = evaluate(*target.children[0], frame);
    const values::Value before = getAttribute(object, target.text);
    setAttribute(object, target.text, augmented(op, before, evaluate(*statement.value, frame)));
  } else {
    const values::Value before = evaluate(target, frame);
    assign(target, augmented(op, before, evaluate(*statement.value, frame)), frame);
  }
}

void Evaluator::State::assign(const language::Expr& target, values::Value value, Frame& frame) {
  switch (target.kind) {
    case language::ExprKind::kName: frame.environment->names[target.text] = std::move(value); return;
    case language::ExprKind::kTuple:
    case language::ExprKind::kList: unpack(target.children, value, frame); return;
    case language::ExprKind::kAttribute: {
      const values::Value object = evaluate(*target.children[0], frame, Use::kOpened);
      readsAttribute(object, target.text);
      if (object.isTensor() && options.reads != nullptr) { // `requires_grad` of a leaf only
        options.reads->fact(object.tensor(), Fact::kLeaf);
      }
      setAttribute(object, target.text, value);
      return;
    }
    case language::ExprKind::kSubscript: {
      const values::Value object = evaluate(*target.children[0], frame, Use::kOpened);
      const values::Value index = evaluateIndex(target, frame);
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

void Evaluator::State::unpack(const std::vector<language::ExprPtr>& targets, const values::Value& value, Frame& frame) {
  readsItems(value);
  values::ValueList items = iterate(value, "cannot unpack non-iterable {} object");
  size_t starred = targets.size();
  for (size_t i = 0; i < targets.size(); ++i) {
    if (targets[i]->kind == language::ExprKind::kStarred) {
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
    values::ValueList rest;
    for (const size_t end = items.size() - (targets.size() - i - 1); next < end; ++next) {
      rest.push_back(std::move(items[next]));
    }
    assign(*targets[i]->children[0], values::Value::list(std::move(rest)), frame);
  }
}

void Evaluator::State::remove(const language::Expr& target, Frame& frame) {
  switch (target.kind) {
    case language::ExprKind::kName:
      if (frame.environment->names.erase(target.text) == 0) {
        raiseUnbound(target.text, frame);
      }
      return;
    case language::ExprKind::kSubscript: {
      const values::Value object = evaluate(*target.children[0], frame);
      deleteItem(object, evaluateIndex(target, frame));
      return;
    }
    case language::ExprKind::kAttribute: deleteAttribute(evaluate(*target.children[0], frame), target.text); return;
    case language::ExprKind::kTuple:
    case language::ExprKind::kList:
      for (const language::ExprPtr& child : target.children) {
        remove(*child, frame);
      }
      return;
    default: raiseError("SyntaxError", "cannot delete this expression");
  }
}

} // namespace touchstone::evaluator
