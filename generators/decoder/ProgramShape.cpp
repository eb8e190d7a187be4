#include "generators/decoder/ProgramShape.h"

#include "generators/decoder/FunctionForms.h"
#include "generators/decoder/ProgramEditing.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace touchstone::decoder {

using language::ExprPtr;
using language::Statement;
using language::StatementKind;
using language::StatementPtr;

namespace {

constexpr int kFormPercent = 75; // of functions, where Cases have constructs
constexpr int kHooksPercent = 8, kRebindingPercent = 8;

StatementPtr block(StatementKind kind, ExprPtr value, std::vector<StatementPtr> body,
                   std::vector<StatementPtr> orElse = {}) {
  Statement statement{};
  statement.kind = kind;
  statement.value = std::move(value);
  statement.body = std::move(body);
  statement.orElse = std::move(orElse);
  return std::make_shared<const Statement>(std::move(statement));
}

StatementPtr withRegion(Region region, std::vector<StatementPtr> body) {
  std::vector<ExprPtr> regions = regionExpressions(region);
  for (; !regions.empty(); regions.pop_back()) { // from the innermost
    Statement with{};
    with.kind = StatementKind::kWith;
    with.items = {regions.back()};
    with.body = std::move(body);
    body = {std::make_shared<const Statement>(std::move(with))};
  }
  return body.front();
}

bool writesInPlace(const std::vector<StatementPtr>& body) {
  const auto isInPlace = [](const language::Expr& expr) {
    if (expr.kind != language::ExprKind::kCall) {
      return false;
    }
    const bool hasOut = std::ranges::find(expr.keywords, "out") != expr.keywords.end();
    return hasOut || (!expr.children[0]->text.empty() && expr.children[0]->text.back() == '_');
  };
  const auto isWrite = [](const Statement& statement) {
    return statement.kind == StatementKind::kAugmentedAssign || statement.kind == StatementKind::kExpression ||
           std::ranges::any_of(statement.targets, [](const ExprPtr& target) {
             return target->kind == language::ExprKind::kSubscript || target->kind == language::ExprKind::kAttribute;
           });
  };
  return language::anyExpression(body, isInPlace) || language::anyStatement(body, isWrite);
}

class ProgramShaper {
 public:
  ProgramShaper(const DecoderState& state, const StatementPtr& last, bool mayHaveForms)
      : state_(state), last_(last), mayHaveForms_(mayHaveForms && state.options.features.constructs), forms_(state) {}

  ShapedProgram run() {
    const std::vector<DecodedStatement>& statements = state_.statements;
    std::vector<StatementPtr> region;
    for (size_t begin = 0; begin < statements.size();) {
      const size_t end = begin + runLength(begin);
      if (shapeAt(begin) == Shape::kStraight) {
        region.push_back(statements[begin].statement);
      } else {
        for (const StatementPtr& statement : shaped(begin, end)) {
          shaped_.recordOf.emplace(statement.get(), statements[begin].record);
          region.push_back(statement);
        }
      }
      const bool closes = end == statements.size() || statements[end].region != statements[begin].region;
      if (closes && statements[begin].region == Region::kNone) {
        shaped_.body.insert(shaped_.body.end(), region.begin(), region.end());
        region.clear();
      } else if (closes) {
        shaped_.body.push_back(withRegion(statements[begin].region, std::move(region)));
        region.clear();
      }
      begin = end;
    }
    return std::move(shaped_);
  }

 private:
  Shape shapeAt(size_t position) const {
    const DecodedStatement& statement = state_.statements[position];
    return statement.record ? drawShape(statement.seed, state_.options.features) : Shape::kStraight;
  }

  /// How many statements from here on are shaped together: in one region, none of them kept because it raises.
  size_t runLength(size_t begin) const {
    const Shape shape = shapeAt(begin);
    if (shape == Shape::kStraight || shape == Shape::kLoop) {
      return 1;
    }
    const auto most = static_cast<size_t>(catalogue::Draw(state_.statements[begin].seed, "shape length").between(1, 4));
    size_t length = 0;
    while (length < most && begin + length < state_.statements.size() &&
           state_.statements[begin + length].region == state_.statements[begin].region &&
           !state_.statements[begin + length].raises) {
      ++length;
    }
    return std::max<size_t>(length, 1);
  }

  std::vector<StatementPtr> shaped(size_t begin, size_t end) {
    std::vector<StatementPtr> body;
    for (size_t position = begin; position < end; ++position) {
      body.push_back(state_.statements[position].statement);
    }
    const Shape shape = state_.statements[begin].raises ? Shape::kStraight : shapeAt(begin);
    switch (shape) {
      case Shape::kFunction: return callOf(begin, body, end);
      case Shape::kBranch: return branchOver(begin, end, std::move(body));
      case Shape::kLoop: return loopOver(begin, std::move(body));
      case Shape::kStraight: break;
    }
    return body;
  }

  std::vector<std::string> variablesRead(const std::vector<StatementPtr>& body) const {
    std::vector<std::string> read;
    std::set<std::string> made;
    for (const StatementPtr& statement : body) {
      for (const std::string& name : language::namesRead(*statement)) {
        if (state_.find(name) != nullptr && !made.contains(name) &&
            std::find(read.begin(), read.end(), name) == read.end()) {
          read.push_back(name);
        }
      }
      for (const std::string& name : language::namesWritten(*statement)) {
        made.insert(name);
      }
    }
    return read;
  }

  /// The names that `body` binds and that statements from `end` on or the outputs read.
  std::vector<std::string> namesNeeded(const std::vector<StatementPtr>& body, size_t end) const {
    std::set<std::string> read;
    for (size_t position = end; position < state_.statements.size(); ++position) {
      for (const std::string& name : language::namesRead(*state_.statements[position].statement)) {
        read.insert(name);
      }
    }
    for (const std::string& name : language::namesRead(*last_)) {
      read.insert(name);
    }
    std::vector<std::string> needed;
    for (const StatementPtr& statement : body) {
      for (const std::string& name : language::namesWritten(*statement)) {
        if (read.contains(name) && std::find(needed.begin(), needed.end(), name) == needed.end()) {
          needed.push_back(name);
        }
      }
    }
    return needed;
  }

  static std::vector<ExprPtr> asNames(const std::vector<std::string>& names) {
    std::vector<ExprPtr> expressions;
    for (const std::string& name : names) {
      expressions.push_back(language::makeName(name));
    }
    return expressions;
  }

  /// `y2, y3 = helper_0(x0, y1)`: parameters are called like the arguments. In the place of the function of the file may stand
  /// one inside the Program that knows its variables, a lambda, or a list that is made of one item.
  std::vector<StatementPtr> callOf(size_t begin, std::vector<StatementPtr> body, size_t end) {
    const std::vector<std::string> results = namesNeeded(body, end);
    if (mayHaveForms_) {
      catalogue::Draw draw(state_.statements[begin].seed, "construct");
      if (draw.chance(kFormPercent)) {
        std::vector<StatementPtr> made = formOf(body, results, draw);
        if (!made.empty()) {
          shaped_.hasForms = true;
          return made;
        }
      }
    }
    catalogue::Draw draw(state_.statements[begin].seed, "function form");
    const bool isOneValue = body.size() == 1 && body.front()->kind == StatementKind::kAssign && results.size() == 1 &&
                            body.front()->targets.size() == 1 &&
                            body.front()->targets[0]->kind == language::ExprKind::kName;
    const auto roll = draw.below(100);
    if (isOneValue && roll < 50) {
      return roll < 30 ? lambdaOf(body.front(), draw) : comprehensionOf(body.front());
    }
    language::Function function;
    function.parameters = variablesRead(body);
    std::vector<StatementPtr> made;
    std::vector<std::string> written;
    for (const StatementPtr& statement : body) {
      const std::vector<std::string> names = language::namesWritten(*statement);
      written.insert(written.end(), names.begin(), names.end());
    }
    if (!results.empty()) {
      body.push_back(returnOf(results));
    }
    function.body = std::move(body);
    ExprPtr call;
    if (roll < 60) {
      function.name = fmt::format("helper_{}", shaped_.functions.size());
      call = calledBy(function, draw);
      shaped_.functions.push_back(std::move(function));
    } else {
      function.name = fmt::format("inner_{}", inner_++);
      std::erase_if(function.parameters, [&](const std::string& name) { // others are variables around it
        return std::ranges::find(written, name) == written.end() && draw.chance(60);
      });
      std::vector<ExprPtr> arguments = asNames(function.parameters);
      if (!arguments.empty() &&
          draw.chance(6)) { // `def inner_0(x0, y1=y1)`, behind a break nothing that native captures take on
        function.defaults = {arguments.back()};
        arguments.pop_back();
      }
      call = language::makeCall(language::makeName(function.name), std::move(arguments));
      made.push_back(definitionOf(std::move(function)));
    }
    made.push_back(results.empty() ? language::makeExpressionStatement(call)
                                   : language::makeAssign(asNames(results), call));
    return made;
  }

  /// What people make of functions; empty: none of it fits.
  std::vector<StatementPtr> formOf(const std::vector<StatementPtr>& body, const std::vector<std::string>& results,
                                   catalogue::Draw& draw) {
    const auto roll = draw.below(100);
    if (roll < kHooksPercent &&
        state_.options.features.python) { // native backends do not take them, and get more of the next
      return taken(forms_.underSavedTensorHooks(body, draw));
    }
    language::Function function;
    function.parameters = variablesRead(body);
    function.body = body;
    const bool readsResults = std::ranges::any_of(results, [&](const std::string& name) {
      return std::ranges::find(function.parameters, name) != function.parameters.end();
    });
    if (roll < kHooksPercent + kRebindingPercent) {
      if (results.empty() || readsResults) {
        return {};
      }
      function.name = fmt::format("inner_{}", inner_++);
      return forms_.rebinding(std::move(function), results);
    }
    if (writesInPlace(body)) {
      return {};
    }
    function.name = fmt::format("helper_{}", shaped_.functions.size());
    function.body.push_back(returnOf(results));
    std::optional<FunctionForm> form = forms_.of(function, results, draw);
    if (!form) {
      return {};
    }
    shaped_.functions.push_back(std::move(function));
    return taken(std::move(*form));
  }

  std::vector<StatementPtr> taken(FunctionForm form) {
    std::ranges::move(form.functions, std::back_inserter(shaped_.functions));
    std::ranges::move(form.customFunctions, std::back_inserter(shaped_.customFunctions));
    return std::move(form.statements);
  }

  static StatementPtr returnOf(const std::vector<std::string>& results) {
    std::vector<ExprPtr> returned = asNames(results);
    return language::makeReturn(returned.size() == 1 ? returned[0] : language::makeTuple(returned));
  }

  /// A call of a function of the file, at times through one that takes it as an argument.
  ExprPtr calledBy(const language::Function& function, catalogue::Draw& draw) {
    std::vector<ExprPtr> arguments = asNames(function.parameters);
    const ExprPtr name = language::makeName(function.name);
    if (draw.chance(30) && !writesInPlace(function.body)) { // PyTorch runs it a second time
      arguments.insert(arguments.begin(), name);
      return language::makeCall(language::makeDotted("torch.utils.checkpoint.checkpoint"), std::move(arguments),
                                {{"use_reentrant", language::makeBool(false)}});
    }
    if (!draw.chance(30)) {
      return language::makeCall(name, std::move(arguments));
    }
    if (!hasCaller_) {
      hasCaller_ = true;
      const ExprPtr rest = std::make_shared<const language::Expr>(
          language::Expr{language::ExprKind::kStarred, {}, {language::makeName("rest")}, {}, {}});
      language::Function caller{.name = "call_with", .parameters = {"f"}};
      caller.rest = "rest";
      caller.body = {language::makeReturn(language::makeCall(language::makeName("f"), {rest}))};
      shaped_.functions.push_back(std::move(caller));
    }
    arguments.insert(arguments.begin(), name);
    return language::makeCall(language::makeName("call_with"), std::move(arguments));
  }

  /// `f0 = lambda x0: x0 + y1` and `y2 = f0(x0)`.
  std::vector<StatementPtr> lambdaOf(const StatementPtr& statement, catalogue::Draw& draw) {
    std::vector<std::string> parameters = variablesRead({statement});
    std::erase_if(parameters, [&](const std::string&) { return draw.chance(40); });
    const std::string name = fmt::format("f{}", inner_++);
    auto lambda = std::make_shared<language::Expr>();
    lambda->kind = language::ExprKind::kLambda;
    lambda->keywords = parameters;
    lambda->children = {statement->value};
    return {
        language::makeAssign({language::makeName(name)}, lambda),
        language::makeAssign(statement->targets, language::makeCall(language::makeName(name), asNames(parameters)))};
  }

  /// `y2 = [x0 + y1 for i0 in range(1)][0]`.
  std::vector<StatementPtr> comprehensionOf(const StatementPtr& statement) {
    auto list = std::make_shared<language::Expr>();
    list->kind = language::ExprKind::kComprehension;
    list->text = "[";
    list->keywords = {"for"};
    list->children = {statement->value, language::makeName(fmt::format("i{}", loops_++)),
                      language::makeCall(language::makeName("range"), {language::makeInt(1)})};
    return {language::makeAssign(statement->targets, language::makeSubscript(list, {language::makeInt(0)}))};
  }

  /// The branch that was decoded stands where the condition of its first record led; in the other one, what is needed
  /// later is a copy of something else.
  std::vector<StatementPtr> branchOver(size_t begin, size_t end, std::vector<StatementPtr> body) {
    const DecodedStatement& first = state_.statements[begin];
    const std::vector<std::string> read = variablesRead(body);
    std::vector<std::string> tensors;
    for (const Variable& variable : state_.variables) {
      if (variable.value.isTensor() && std::find(read.begin(), read.end(), variable.name) != read.end()) {
        tensors.push_back(variable.name);
      }
    }
    if (first.condition == nullptr || tensors.empty()) {
      return body;
    }
    std::vector<StatementPtr> other;
    for (const std::string& name : namesNeeded(body, end)) {
      if (!state_.tensorNamed(name).defined()) {
        return body; // a number of another kind would change what comes later too much
      }
      other.push_back(language::makeAssign({language::makeName(name)},
                                           language::makeMethodCall(language::makeName(tensors.front()), "clone", {})));
    }
    if (other.empty()) {
      Statement pass{};
      pass.kind = StatementKind::kPass;
      other.push_back(std::make_shared<const Statement>(std::move(pass)));
    }
    return {first.conditionHolds ? block(StatementKind::kIf, first.condition, std::move(body), std::move(other))
                                 : block(StatementKind::kIf, first.condition, std::move(other), std::move(body))};
  }

  /// Twice, where that leaves what comes later as it is: a write that keeps sizes, and in exact mode no product.
  std::vector<StatementPtr> loopOver(size_t begin, std::vector<StatementPtr> body) {
    const DecodedStatement& first = state_.statements[begin];
    if (!first.mayRepeat || body.front()->kind != StatementKind::kExpression) {
      return body;
    }
    const std::string counter = fmt::format("i{}", loops_++);
    if (catalogue::Draw(first.seed, "loop").chance(70)) {
      Statement loop{};
      loop.kind = StatementKind::kFor;
      loop.targets = {language::makeName(counter)};
      loop.value = language::makeCall(language::makeName("range"), {language::makeInt(2)});
      loop.body = std::move(body);
      return {std::make_shared<const Statement>(std::move(loop))};
    }
    body.push_back(language::makeAssign({language::makeName(counter)},
                                        language::makeBinary("+", language::makeName(counter), language::makeInt(1))));
    return {language::makeAssign({language::makeName(counter)}, language::makeInt(0)),
            block(StatementKind::kWhile, language::makeBinary("<", language::makeName(counter), language::makeInt(2)),
                  std::move(body))};
  }

  const DecoderState& state_;
  const StatementPtr& last_;
  const bool mayHaveForms_;
  FunctionForms forms_;
  ShapedProgram shaped_;
  int loops_ = 0;
  int inner_ = 0; // functions inside the Program
  bool hasCaller_ = false;
};

} // namespace

ShapedProgram shapeProgram(const DecoderState& state, const StatementPtr& last, bool mayHaveForms) {
  return ProgramShaper(state, last, mayHaveForms).run();
}

} // namespace touchstone::decoder
