#include "program/parser/CaseParserCalls.h"

#include "program/parser/CaseParserNames.h"
#include "program/values/Data.h"
#include "program/parser/LanguageNames.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>

namespace touchstone::graph {
namespace {

constexpr int kMaximumBackwardTimes = 8;

// Reads literals of the kinds that CALLS and COMPILE hold; anything else is refused with what `key` takes.
class Literals {
 public:
  Literals(const SourceText& source, std::string key) : source_(source), key_(std::move(key)) {}

  [[noreturn]] void fail(const Expr& value, const std::string& expected) const {
    source_.fail(value.place, "this is no value of `" + key_ + "`; expected " + expected);
  }
  std::optional<int64_t> maybeInteger(const Expr& value) const {
    const bool negative = value.kind == ExprKind::kUnary && value.text == "-";
    const Expr& digits = negative ? *value.children[0] : value;
    if (digits.kind != ExprKind::kInt) {
      return std::nullopt;
    }
    int64_t number = 0;
    std::from_chars(digits.text.data(), digits.text.data() + digits.text.size(), number);
    return negative ? -number : number;
  }
  int64_t integer(const Expr& value) const {
    const std::optional<int64_t> number = maybeInteger(value);
    return number ? *number : (fail(value, "an integer"), 0);
  }
  int index(const Expr& value, int least = 0, int most = 10'000) const {
    const std::optional<int64_t> number = maybeInteger(value);
    if (!number || *number < least || *number > most) {
      fail(value, "an integer from " + std::to_string(least) + " to " + std::to_string(most));
    }
    return static_cast<int>(*number);
  }
  bool boolean(const Expr& value) const {
    if (value.kind != ExprKind::kTrue && value.kind != ExprKind::kFalse) {
      fail(value, "True or False");
    }
    return value.kind == ExprKind::kTrue;
  }
  const std::string& string(const Expr& value, const std::string& expected) const {
    if (value.kind != ExprKind::kString) {
      fail(value, expected);
    }
    return value.text;
  }
  const std::vector<ExprPtr>& list(const Expr& value, const std::string& expected) const {
    if (value.kind != ExprKind::kList || value.children.empty()) {
      fail(value, expected);
    }
    return value.children;
  }

 private:
  const SourceText& source_;
  std::string key_;
};

std::vector<BackwardRoot> readRoots(const Literals& literals, const Expr& value) {
  constexpr std::string_view kArgument = "arg ";
  const std::string expected = "None or a list of indices of tensor outputs and strings like \"arg 1\"";
  std::vector<BackwardRoot> roots;
  for (const ExprPtr& item : literals.list(value, expected)) {
    BackwardRoot root;
    if (item->kind == ExprKind::kString) {
      const std::string digits = item->text.starts_with(kArgument) ? item->text.substr(kArgument.size()) : "";
      const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), root.index);
      root.isArgument = true;
      if (result.ec != std::errc() || std::to_string(root.index) != digits || root.index < 0) {
        literals.fail(*item, expected);
      }
    } else {
      root.index = literals.index(*item);
    }
    if (std::find(roots.begin(), roots.end(), root) != roots.end()) {
      literals.fail(*item, "each root once");
    }
    roots.push_back(root);
  }
  return roots;
}

std::string readDtype(const Literals& literals, const Expr& value) {
  const bool isDtype = value.kind == ExprKind::kAttribute && value.children[0]->kind == ExprKind::kName &&
                       value.children[0]->text == "torch" && isDtypeName(value.text);
  if (!isDtype) {
    literals.fail(value, "None or a dtype like `torch.bfloat16`");
  }
  return value.text;
}

std::vector<int> readLeaves(const Literals& literals, const Expr& value) {
  std::vector<int> leaves;
  for (const ExprPtr& item : literals.list(value, "None or a list of indices of leaves")) {
    leaves.push_back(literals.index(*item));
  }
  return leaves;
}

std::string readKind(const Literals& literals, const Expr& value) {
  const std::string expected = "\"grid\", \"uniform\", \"special\", \"zeros\" or \"ones\"";
  const std::vector<std::string> kinds = dataKinds();
  const std::string& kind = literals.string(value, expected);
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
    literals.fail(value, expected);
  }
  return kind;
}

GradMode readGradMode(const Literals& literals, const Expr& value) {
  const std::string expected = "\"enable\", \"no_grad\" or \"inference\"";
  const std::optional<GradMode> mode = gradModeFromName(literals.string(value, expected));
  return mode ? *mode : (literals.fail(value, expected), GradMode::kEnable);
}

TangentLayout readLayout(const Literals& literals, const Expr& value) {
  const std::string expected = "\"like\", \"contiguous\", \"transposed\", \"expanded\", \"gapped\" or \"none\"";
  const std::optional<TangentLayout> layout = tangentLayoutFromName(literals.string(value, expected));
  return layout ? *layout : (literals.fail(value, expected), TangentLayout::kLike);
}

GradientVia readVia(const Literals& literals, const Expr& value) {
  const std::string expected = "\"backward\" or \"grad\"";
  const std::string& via = literals.string(value, expected);
  if (via != "backward" && via != "grad") {
    literals.fail(value, expected);
  }
  return via == "grad" ? GradientVia::kGrad : GradientVia::kBackward;
}

struct CallKey {
  std::string name;
  bool mayBeNone; // None leaves the default
  std::function<void(CallSpec&, const Literals&, const Expr&)> read;
};

const std::vector<CallKey>& callKeys() {
  using L = Literals;
  static const std::vector<CallKey> keys = {
      {"inputs", true,
       [](CallSpec& call, const L& l, const Expr& v) { call.inputs = l.string(v, "None or the name of a function"); }},
      {"seed", false, [](CallSpec& call, const L& l, const Expr& v) { call.seed = l.integer(v); }},
      {"kind", false, [](CallSpec& call, const L& l, const Expr& v) { call.kind = readKind(l, v); }},
      {"reset", false, [](CallSpec& call, const L& l, const Expr& v) { call.reset = l.boolean(v); }},
      {"rng_seed", false, [](CallSpec& call, const L& l, const Expr& v) { call.rngSeed = l.integer(v); }},
      {"grad_mode", false, [](CallSpec& call, const L& l, const Expr& v) { call.gradMode = readGradMode(l, v); }},
      {"autocast", true, [](CallSpec& call, const L& l, const Expr& v) { call.autocast = readDtype(l, v); }},
      {"backward", true, [](CallSpec& call, const L& l, const Expr& v) { call.backward = readRoots(l, v); }},
      {"via", false, [](CallSpec& call, const L& l, const Expr& v) { call.via = readVia(l, v); }},
      {"wrt", true, [](CallSpec& call, const L& l, const Expr& v) { call.wrt = readLeaves(l, v); }},
      {"tangent_seed", false, [](CallSpec& call, const L& l, const Expr& v) { call.tangentSeed = l.integer(v); }},
      {"tangent_layout", false,
       [](CallSpec& call, const L& l, const Expr& v) { call.tangentLayout = readLayout(l, v); }},
      {"backward_times", false,
       [](CallSpec& call, const L& l, const Expr& v) { call.backwardTimes = l.index(v, 1, kMaximumBackwardTimes); }},
      {"create_graph", false, [](CallSpec& call, const L& l, const Expr& v) { call.createGraph = l.boolean(v); }},
      {"backward_after", true,
       [](CallSpec& call, const L& l, const Expr& v) { call.backwardAfter = l.index(v, 0, kMaximumCalls - 1); }},
      {"between", true,
       [](CallSpec& call, const L& l, const Expr& v) { call.between = l.string(v, "None or the name of a function"); }},
      {"compiled_autograd", false,
       [](CallSpec& call, const L& l, const Expr& v) { call.compiledAutograd = l.boolean(v); }},
  };
  return keys;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "`" : ", `") + name + "`";
  }
  return text;
}

// Calls `read` with each keyword and value of `dict(…)`.
void readDict(const SourceText& source, const Expr& dict, const std::string& what,
              const std::function<void(const std::string&, const Expr&)>& read) {
  const bool isDict = dict.kind == ExprKind::kCall && dict.children[0]->kind == ExprKind::kName &&
                      dict.children[0]->text == "dict" && dict.children.size() == dict.keywords.size() + 1;
  if (!isDict) {
    source.fail(dict.place, "this is no " + what + "; expected `dict(key=value, …)`");
  }
  for (size_t index = 0; index < dict.keywords.size(); ++index) {
    read(dict.keywords[index], *dict.children[index + 1]);
  }
}

CallSpec readCall(const SourceText& source, const Expr& dict) {
  CallSpec call;
  bool hasInputs = false;
  readDict(source, dict, "call", [&](const std::string& name, const Expr& value) {
    const auto key =
        std::find_if(callKeys().begin(), callKeys().end(), [&](const CallKey& k) { return k.name == name; });
    if (key == callKeys().end()) {
      std::vector<std::string> names;
      for (const CallKey& known : callKeys()) {
        names.push_back(known.name);
      }
      source.fail(value.place, "a call has no key `" + name + "`; expected one of " + listed(names));
    }
    hasInputs |= name == "inputs";
    if (!(key->mayBeNone && value.kind == ExprKind::kNone)) {
      key->read(call, Literals(source, name), value);
    }
  });
  if (!hasInputs) {
    source.fail(dict.place, "this call has no `inputs`; expected the name of a function that makes inputs, or None");
  }
  return call;
}

} // namespace

std::vector<CallSpec> readCalls(const SourceText& source, const Expr& list) {
  if (list.kind != ExprKind::kList || list.children.empty() || list.children.size() > kMaximumCalls) {
    source.fail(list.place, "CALLS is no list of calls; expected 1 to " + std::to_string(kMaximumCalls) +
                                " entries `dict(inputs=\"inputs\", …)`");
  }
  std::vector<CallSpec> calls;
  for (const ExprPtr& item : list.children) {
    calls.push_back(readCall(source, *item));
  }
  return calls;
}

CompileSpec readCompile(const SourceText& source, const Expr& dict) {
  CompileSpec compile;
  readDict(source, dict, "COMPILE", [&](const std::string& name, const Expr& value) {
    const Literals literals(source, name);
    if (name == "dynamic") {
      compile.dynamic = value.kind == ExprKind::kNone ? std::nullopt : std::optional<bool>(literals.boolean(value));
    } else if (name == "fullgraph") {
      compile.fullgraph = literals.boolean(value);
    } else if (name == "options" && value.kind == ExprKind::kDict) {
      for (size_t index = 0; index + 1 < value.children.size(); index += 2) {
        const ExprPtr& option = value.children[index + 1];
        const bool isFlag = option->kind == ExprKind::kTrue || option->kind == ExprKind::kFalse;
        const bool isNumber = literals.maybeInteger(*option) || option->kind == ExprKind::kFloat;
        if (!isFlag && !isNumber && option->kind != ExprKind::kNone) {
          // A string could name a compiler to run.
          literals.fail(*option, "True, False, None or a number; other options are refused");
        }
        compile.options.emplace_back(value.children[index]->text, option);
      }
    } else if (name == "options") {
      literals.fail(value, "a dict of names and values");
    } else {
      source.fail(value.place, "COMPILE has no key `" + name + "`; expected `dynamic`, `fullgraph` or `options`");
    }
  });
  return compile;
}

void checkCalls(const SourceText& source, const Case& theCase, const Expr& list) {
  std::vector<bool> deferred(theCase.calls.size());
  for (size_t index = 0; index < theCase.calls.size(); ++index) {
    const CallSpec& call = theCase.calls[index];
    const Place place = list.children[index]->place;
    if (!call.inputs && index == 0) {
      source.fail(place, "the first call has no inputs before it; expected the name of a function that makes inputs");
    }
    if (call.inputs && (!isInputsName(*call.inputs) || !theCase.find(*call.inputs))) {
      source.fail(place, "there is no function `" + *call.inputs +
                             "` that makes inputs; expected one of the file whose "
                             "name begins with `inputs`");
    }
    if (call.between) {
      const Function* between = theCase.find(*call.between);
      if (!between || between->name == "program" || isInputsName(between->name) || between->parameters.size() != 2) {
        source.fail(place, "there is no function `" + *call.between +
                               "` to run between forward and backward; expected "
                               "one with the parameters `(args, outs)`");
      }
    }
    if (call.backwardAfter) {
      const auto earlier = static_cast<size_t>(*call.backwardAfter);
      if (earlier >= index || !theCase.calls[earlier].backward || deferred[earlier]) {
        source.fail(place, "call " + std::to_string(earlier) + " has no backward to put off until after call " +
                               std::to_string(index) +
                               "; expected the index of an earlier call with a backward of its own");
      }
      deferred[earlier] = true;
    }
  }
}

} // namespace touchstone::graph
