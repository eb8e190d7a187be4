#include "program/evaluator/EvaluatorState.h"
#include "program/values/Teardown.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace touchstone::evaluator {

using namespace std::string_view_literals; // their sizes are compared first

namespace {

values::Value parsedInt(const std::string& text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    raiseError("OverflowError",
               fmt::format("The whole number {} is beyond the 64 bits that a case's numbers have.", text));
  }
  return values::Value(values::Value::Payload(value));
}

bool writesName(const std::vector<language::StatementPtr>& body, const std::string& name) {
  return std::any_of(body.begin(), body.end(), [&](const language::StatementPtr& statement) {
    const std::vector<std::string> written = language::namesWritten(*statement);
    return std::find(written.begin(), written.end(), name) != written.end();
  });
}

} // namespace

void Evaluator::State::raiseUnbound(const std::string& name, const Frame& frame) const {
  const language::Function* function = frame.function;
  if (function &&
      (writesName(function->body, name) ||
       std::find(function->parameters.begin(), function->parameters.end(), name) != function->parameters.end())) {
    raiseError("UnboundLocalError",
               fmt::format("cannot access local variable '{}' where it is not associated with a value", name));
  }
  raiseError("NameError", fmt::format("name '{}' is not defined", name));
}

values::Value Evaluator::State::readName(const language::Expr& name, Frame& frame) {
  if (const values::Value* value = findName(name.text, frame)) {
    return *value;
  }
  raiseUnbound(name.text, frame);
}

void Evaluator::State::readsItem(const values::Value& object, const values::Value& index) const {
  if (options.reads == nullptr) {
    return;
  }
  if (object.is<values::DictPtr>() && index.is<std::string>()) {
    options.reads->item(object, index.as<std::string>());
  } else if (const auto* number = index.maybe<int64_t>(); number != nullptr && object.is<values::ListPtr>()) {
    const auto size = static_cast<int64_t>(object.as<values::ListPtr>()->items.size());
    options.reads->item(object, itemKey(static_cast<size_t>(*number < 0 ? *number + size : *number)));
  } else if (object.items() != nullptr) {
    options.reads->items(object);
  } else {
    options.reads->whole(object);
  }
}

void Evaluator::State::readsAttribute(const values::Value& object, const std::string& name) const {
  if (options.reads == nullptr) {
    return;
  }
  if (object.is<values::ModulePtr>()) {
    options.reads->item(object, name);
    return;
  }
  options.reads->whole(object);
  const std::optional<Fact> fact = object.isTensor() ? factAskedBy(name) : std::nullopt;
  if (fact) {
    options.reads->fact(object.tensor(), *fact);
  }
}

void Evaluator::State::readsItems(const values::Value& object) const {
  if (options.reads == nullptr) {
    return;
  }
  if (object.items() != nullptr || object.is<values::DictPtr>()) {
    options.reads->items(object);
  } else {
    options.reads->whole(object);
  }
}

values::Value Evaluator::State::evaluate(const language::Expr& expr, Frame& frame, Use use) {
  values::Value value = evaluateAny(expr, frame, use);
  if (use == Use::kWhole) {
    reads(value);
  }
  return value;
}

values::Value Evaluator::State::evaluateAny(const language::Expr& expr, Frame& frame, Use use) {
  auto items = [&] {
    values::ValueList values;
    values.reserve(expr.children.size());
    for (const language::ExprPtr& child : expr.children) {
      if (child->kind == language::ExprKind::kStarred) {
        const values::Value several = evaluate(*child->children[0], frame, Use::kOpened);
        readsItems(several);
        values::ValueList rest = iterate(several, "Value after * must be an iterable, not {}");
        std::move(rest.begin(), rest.end(), std::back_inserter(values));
      } else {
        values.push_back(evaluate(*child, frame, Use::kMoved));
        spend(values.back());
      }
    }
    return values;
  };
  switch (expr.kind) {
    case language::ExprKind::kName: return readName(expr, frame);
    case language::ExprKind::kInt: return parsedInt(expr.text);
    case language::ExprKind::kFloat:
      return values::Value(values::Value::Payload(std::strtod(expr.text.c_str(), nullptr)));
    case language::ExprKind::kImaginary:
      return values::Value(values::Value::Payload(std::complex<double>(0, std::strtod(expr.text.c_str(), nullptr))));
    case language::ExprKind::kString:
      checkText(expr.text.size());
      return values::Value(values::Value::Payload(expr.text));
    case language::ExprKind::kTrue: return values::Value(values::Value::Payload(true));
    case language::ExprKind::kFalse: return values::Value(values::Value::Payload(false));
    case language::ExprKind::kNone: return {};
    case language::ExprKind::kEllipsis: return values::Value(values::Value::Payload(values::EllipsisValue{}));
    case language::ExprKind::kAttribute: {
      const language::Expr& object = *expr.children[0];
      if (object.kind == language::ExprKind::kName && object.text == "torch"sv && !findName("torch", frame)) {
        return torchConstant(expr.text);
      }
      const values::Value owner = evaluate(object, frame, Use::kOpened);
      readsAttribute(owner, expr.text);
      return getAttribute(owner, expr.text);
    }
    case language::ExprKind::kCall: return evaluateCall(expr, frame);
    case language::ExprKind::kSubscript: {
      const values::Value object = evaluate(*expr.children[0], frame, Use::kOpened);
      const values::Value index = evaluateIndex(expr, frame);
      readsItem(object, index);
      return getItem(object, index);
    }
    case language::ExprKind::kSlice: {
      auto slice = std::make_shared<values::SliceObject>();
      values::Value* parts[] = {&slice->start, &slice->stop, &slice->step};
      for (size_t i = 0; i < expr.children.size() && i < 3; ++i) {
        if (expr.children[i]) {
          *parts[i] = evaluate(*expr.children[i], frame);
        }
      }
      return values::Value(values::Value::Payload(std::move(slice)));
    }
    case language::ExprKind::kList: return values::Value::list(items());
    case language::ExprKind::kTuple: return values::Value::tuple(items());
    case language::ExprKind::kDict: {
      const values::DictPtr dict = values::makeShared(values::DictObject());
      values::Value result{values::Value::Payload(dict)};
      for (size_t i = 0; i + 1 < expr.children.size(); i += 2) {
        setItem(result, evaluate(*expr.children[i], frame), evaluate(*expr.children[i + 1], frame, Use::kMoved));
      }
      return result;
    }
    case language::ExprKind::kUnary: return unary(expr.text, evaluate(*expr.children[0], frame));
    case language::ExprKind::kBinary: return evaluateBinary(expr, frame, use);
    case language::ExprKind::kConditional:
      return evaluate(truth(evaluate(*expr.children[0], frame)) ? *expr.children[1] : *expr.children[2], frame, use);
    case language::ExprKind::kStarred: raiseError("SyntaxError", "can't use starred expression here");
  }
  raiseError("SystemError", "The expression is of a kind that the evaluator does not know.");
}

values::Value Evaluator::State::evaluateBinary(const language::Expr& expr, Frame& frame, Use use) {
  if (expr.text == "is"sv || expr.text == "is not"sv) { // who they are, not what is in them
    const values::Value left = evaluate(*expr.children[0], frame, Use::kMoved);
    return binary(expr.text, left, evaluate(*expr.children[1], frame, Use::kMoved));
  }
  values::Value left = evaluate(*expr.children[0], frame);
  if (expr.text == "in"sv || expr.text == "not in"sv) {
    const values::Value right = evaluate(*expr.children[1], frame, Use::kOpened);
    if (!right.is<values::DictPtr>()) { // of a dict its keys decide
      reads(right);
    }
    return binary(expr.text, left, right);
  }
  if (expr.text == "and"sv || expr.text == "or"sv) {
    return truth(left) == (expr.text == "and"sv) ? evaluate(*expr.children[1], frame, use) : left;
  }
  return binary(expr.text, left, evaluate(*expr.children[1], frame));
}

values::Value Evaluator::State::evaluateIndex(const language::Expr& subscript, Frame& frame) {
  if (subscript.children.size() == 2 && subscript.children[1]->kind != language::ExprKind::kStarred) {
    return evaluate(*subscript.children[1], frame);
  }
  values::ValueList indices;
  for (size_t i = 1; i < subscript.children.size(); ++i) {
    const language::Expr& child = *subscript.children[i];
    if (child.kind == language::ExprKind::kStarred) {
      values::ValueList rest = iterate(evaluate(*child.children[0], frame));
      std::move(rest.begin(), rest.end(), std::back_inserter(indices));
    } else {
      indices.push_back(evaluate(child, frame));
    }
  }
  return values::Value::tuple(std::move(indices));
}

} // namespace touchstone::evaluator
