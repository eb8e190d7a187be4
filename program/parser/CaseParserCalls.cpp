#include "program/parser/CaseParserCalls.h"

#include "program/language/CompileFlags.h"
#include "program/parser/CaseParserNames.h"
#include "program/parser/LanguageNames.h"
#include "program/values/Data.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <set>

namespace touchstone::parser {
namespace {

constexpr int kMaximumBackwardTimes = 8;

// Reads literals of the kinds that CALLS and COMPILE hold; anything else is refused with what `key` takes.
class Literals {
 public:
  Literals(const SourceText& source, std::string key) : source_(source), key_(std::move(key)) {}

  [[noreturn]] void fail(const language::Expr& value, const std::string& expected) const {
    source_.fail(value.place, "this is no value of `" + key_ + "`; expected " + expected);
  }
  std::optional<int64_t> maybeInteger(const language::Expr& value) const {
    const bool negative = value.kind == language::ExprKind::kUnary && value.text == "-";
    const language::Expr& digits = negative ? *value.children[0] : value;
    if (digits.kind != language::ExprKind::kInt) {
      return std::nullopt;
    }
    int64_t number = 0;
    std::from_chars(digits.text.data(), digits.text.data() + digits.text.size(), number);
    return negative ? -number : number;
  }
  int64_t integer(const language::Expr& value) const {
    const std::optional<int64_t> number = maybeInteger(value);
    return number ? *number : (fail(value, "an integer"), 0);
  }
  int index(const language::Expr& value, int least = 0, int most = 10'000) const {
    const std::optional<int64_t> number = maybeInteger(value);
    if (!number || *number < least || *number > most) {
      fail(value, "an integer from " + std::to_string(least) + " to " + std::to_string(most));
    }
    return static_cast<int>(*number);
  }
  bool boolean(const language::Expr& value) const {
    if (value.kind != language::ExprKind::kTrue && value.kind != language::ExprKind::kFalse) {
      fail(value, "True or False");
    }
    return value.kind == language::ExprKind::kTrue;
  }
  const std::string& string(const language::Expr& value, const std::string& expected) const {
    if (value.kind != language::ExprKind::kString) {
      fail(value, expected);
    }
    return value.text;
  }
  const std::vector<language::ExprPtr>& list(const language::Expr& value, const std::string& expected) const {
    if (value.kind != language::ExprKind::kList || value.children.empty()) {
      fail(value, expected);
    }
    return value.children;
  }

 private:
  const SourceText& source_;
  std::string key_;
};

std::vector<language::BackwardRoot> readRoots(const Literals& literals, const language::Expr& value) {
  constexpr std::string_view kArgument = "arg ";
  const std::string expected = "None or a list of indices of tensor outputs and strings like \"arg 1\"";
  std::vector<language::BackwardRoot> roots;
  for (const language::ExprPtr& item : literals.list(value, expected)) {
    language::BackwardRoot root;
    if (item->kind == language::ExprKind::kString) {
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

std::string readDtype(const Literals& literals, const language::Expr& value) {
  const bool isDtype = value.kind == language::ExprKind::kAttribute &&
                       value.children[0]->kind == language::ExprKind::kName && value.children[0]->text == "torch" &&
                       isDtypeName(value.text);
  if (!isDtype) {
    literals.fail(value, "None or a dtype like `torch.bfloat16`");
  }
  return value.text;
}

std::vector<int> readLeaves(const Literals& literals, const language::Expr& value) {
  std::vector<int> leaves;
  for (const language::ExprPtr& item : literals.list(value, "None or a list of indices of leaves")) {
    leaves.push_back(literals.index(*item));
  }
  return leaves;
}

std::vector<int> readEarlierCalls(const Literals& literals, const language::Expr& value) {
  if (literals.maybeInteger(value)) {
    return {literals.index(value, 0, language::kMaximumCalls - 1)};
  }
  std::vector<int> calls;
  for (const language::ExprPtr& item :
       literals.list(value, "None, the index of an earlier call, or a list of such indices")) {
    calls.push_back(literals.index(*item, 0, language::kMaximumCalls - 1));
  }
  return calls;
}

std::vector<language::FedArgument> readFeed(const Literals& literals, const language::Expr& value) {
  const std::string expected = "None or a list of pairs `(argument, output of the call before)`, each argument once";
  std::vector<language::FedArgument> feed;
  for (const language::ExprPtr& item : literals.list(value, expected)) {
    if (item->kind != language::ExprKind::kTuple || item->children.size() != 2) {
      literals.fail(*item, expected);
    }
    const language::FedArgument fed{literals.index(*item->children[0]), literals.index(*item->children[1])};
    if (std::ranges::any_of(feed, [&](const auto& known) { return known.argument == fed.argument; })) {
      literals.fail(*item, expected);
    }
    feed.push_back(fed);
  }
  return feed;
}

std::string readKind(const Literals& literals, const language::Expr& value) {
  const std::string expected = "\"grid\", \"uniform\", \"special\", \"zeros\" or \"ones\"";
  const std::vector<std::string> kinds = values::dataKinds();
  const std::string& kind = literals.string(value, expected);
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
    literals.fail(value, expected);
  }
  return kind;
}

language::GradMode readGradMode(const Literals& literals, const language::Expr& value) {
  const std::string expected = "\"enable\", \"no_grad\" or \"inference\"";
  const std::optional<language::GradMode> mode = language::gradModeFromName(literals.string(value, expected));
  return mode ? *mode : (literals.fail(value, expected), language::GradMode::kEnable);
}

language::TangentLayout readLayout(const Literals& literals, const language::Expr& value) {
  const std::string expected = "\"like\", \"contiguous\", \"transposed\", \"expanded\", \"gapped\" or \"none\"";
  const std::optional<language::TangentLayout> layout =
      language::tangentLayoutFromName(literals.string(value, expected));
  return layout ? *layout : (literals.fail(value, expected), language::TangentLayout::kLike);
}

language::GradientVia readVia(const Literals& literals, const language::Expr& value) {
  const std::string expected = "\"backward\" or \"grad\"";
  const std::string& via = literals.string(value, expected);
  if (via != "backward" && via != "grad") {
    literals.fail(value, expected);
  }
  return via == "grad" ? language::GradientVia::kGrad : language::GradientVia::kBackward;
}

struct CallKey {
  std::string name;
  bool mayBeNone; // None leaves the default
  std::function<void(language::CallSpec&, const Literals&, const language::Expr&)> read;
};

const std::vector<CallKey>& callKeys() {
  using L = Literals;
  static const std::vector<CallKey> keys = {
      {"inputs", true,
       [](language::CallSpec& call, const L& l, const language::Expr& v) {
         call.inputs = l.string(v, "None or the name of a function");
       }},
      {"seed", false, [](language::CallSpec& call, const L& l, const language::Expr& v) { call.seed = l.integer(v); }},
      {"kind", false,
       [](language::CallSpec& call, const L& l, const language::Expr& v) { call.kind = readKind(l, v); }},
      {"reset", false,
       [](language::CallSpec& call, const L& l, const language::Expr& v) { call.reset = l.boolean(v); }},
      {"rng_seed", false,
       [](language::CallSpec& call, const L& l, const language::Expr& v) { call.rngSeed = l.integer(v); }},
      {"grad_mode", false,
       [](language::CallSpec& call, const L& l, const language::Expr& v) { call.gradMode = readGradMode(l, v); }},
      {"autocast", true,
       [](language::CallSpec& call, const L& l, const language::Expr& v) { call.autocast = readDtype(l, v); }},
      {"backward", true,
       [](language::CallSpec& call, const L& l, const language::Expr& v) { call.backward = readRoots(l, v); }},
      {"via", false, [](language::CallSpec& call, const L& l, const language::Expr& v) { call.via = readVia(l, v); }},
      {"wrt", true, [](language::CallSpec& call, const L& l, const language::Expr& v) { call.wrt = readLeaves(l, v); }},
      {"tangent_seed", false,
       [](language::CallSpec& call, const L& l, const language::Expr& v) { call.tangentSeed = l.integer(v); }},
      {"tangent_layout", false,
       [](language::CallSpec& call, const L& l, const language::Expr& v) { call.tangentLayout = readLayout(l, v); }},
      {"backward_times", false,
       [](language::CallSpec& call, const L& l, const language::Expr& v) {
         call.backwardTimes = l.index(v, 1, kMaximumBackwardTimes);
       }},
      {"create_graph", false,
       [](language::CallSpec& call, const L& l, const language::Expr& v) { call.createGraph = l.boolean(v); }},
      {"backward_after", true,
       [](language::CallSpec& call, const L& l, const language::Expr& v) {
         call.backwardAfter = readEarlierCalls(l, v);
       }},
      {"derivatives", false,
       [](language::CallSpec& call, const L& l, const language::Expr& v) { call.derivatives = l.index(v, 1, 2); }},
      {"between", true,
       [](language::CallSpec& call, const L& l, const language::Expr& v) {
         call.between = l.string(v, "None or the name of a function");
       }},
      {"compiled_autograd", false,
       [](language::CallSpec& call, const L& l, const language::Expr& v) { call.compiledAutograd = l.boolean(v); }},
      {"feed", true, [](language::CallSpec& call, const L& l, const language::Expr& v) { call.feed = readFeed(l, v); }},
      {"instance", false,
       [](language::CallSpec& call, const L& l, const language::Expr& v) { call.instance = l.index(v, 0, 1); }},
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
void readDict(const SourceText& source, const language::Expr& dict, const std::string& what,
              const std::function<void(const std::string&, const language::Expr&)>& read) {
  const bool isDict = dict.kind == language::ExprKind::kCall && dict.children[0]->kind == language::ExprKind::kName &&
                      dict.children[0]->text == "dict" && dict.children.size() == dict.keywords.size() + 1;
  if (!isDict) {
    source.fail(dict.place, "this is no " + what + "; expected `dict(key=value, …)`");
  }
  for (size_t index = 0; index < dict.keywords.size(); ++index) {
    read(dict.keywords[index], *dict.children[index + 1]);
  }
}

language::CallSpec readCall(const SourceText& source, const language::Expr& dict) {
  language::CallSpec call;
  bool hasInputs = false;
  readDict(source, dict, "call", [&](const std::string& name, const language::Expr& value) {
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
    if (!(key->mayBeNone && value.kind == language::ExprKind::kNone)) {
      key->read(call, Literals(source, name), value);
    }
  });
  if (!hasInputs) {
    source.fail(dict.place, "this call has no `inputs`; expected the name of a function that makes inputs, or None");
  }
  return call;
}

// Options of Inductor that leave files, start processes or ask a server.
bool reachesOutside(const std::string& option) {
  const auto holds = [&](std::string_view part) { return option.find(part) != std::string::npos; };
  return option.starts_with("trace.") || option.starts_with("aot_inductor") || holds("remote") || holds("subproc") ||
         holds("profile") || holds("dump") || option == "compile_threads" || option == "save_args";
}

void readOptions(const SourceText& source, const Literals& literals, const language::Expr& value,
                 language::CompileSpec& compile) {
  if (value.kind != language::ExprKind::kDict) {
    literals.fail(value, "a dict of names and values");
  }
  for (size_t index = 0; index + 1 < value.children.size(); index += 2) {
    const language::ExprPtr& option = value.children[index + 1];
    if (reachesOutside(value.children[index]->text)) {
      source.fail(value.children[index]->place,
                  "the option `" + value.children[index]->text +
                      "` does more than to change what is compiled; expected another one");
    }
    const bool isFlag = option->kind == language::ExprKind::kTrue || option->kind == language::ExprKind::kFalse;
    const bool isNumber = literals.maybeInteger(*option) || option->kind == language::ExprKind::kFloat;
    if (!isFlag && !isNumber && option->kind != language::ExprKind::kNone) {
      // A string could name a compiler to run.
      literals.fail(*option, "True, False, None or a number; other options are refused");
    }
    compile.options.emplace_back(value.children[index]->text, option);
  }
}

/// The nearest flags, also of a name without the config that it is in.
std::vector<std::string> flagsNear(const std::string& name) {
  std::set<std::string> flags;
  for (const language::CompileFlag& flag : language::compileFlags()) {
    flags.emplace(flag.name);
  }
  std::vector<std::string> near = nearestNames(name, flags);
  for (const char* config : {"functorch.", "inductor.", "dynamo."}) {
    if (near.empty()) {
      near = nearestNames(config + name, flags);
    }
  }
  return near;
}

void readFlags(const SourceText& source, const Literals& literals, const language::Expr& value,
               language::CompileSpec& compile) {
  if (value.kind != language::ExprKind::kDict) {
    literals.fail(value, "a dict of flags, like `{\"functorch.cse\": False}`");
  }
  for (size_t index = 0; index + 1 < value.children.size(); index += 2) {
    const std::string& name = value.children[index]->text;
    const language::ExprPtr& given = value.children[index + 1];
    const language::CompileFlag* flag = language::findCompileFlag(name);
    if (flag == nullptr) {
      source.fail(value.children[index]->place, "`" + name +
                                                    "` is no flag that a Case may set; expected one of "
                                                    "`functorch.…`, `inductor.…` or `dynamo.…`" +
                                                    suggestion(flagsNear(name)));
    }
    if (!language::takes(*flag, *given)) {
      source.fail(given->place, "this is no value of the flag `" + name + "`; expected " + language::takenBy(*flag));
    }
    compile.config.emplace_back(name, given);
  }
}

} // namespace

std::vector<language::CallSpec> readCalls(const SourceText& source, const language::Expr& list) {
  if (list.kind != language::ExprKind::kList || list.children.empty() ||
      list.children.size() > language::kMaximumCalls) {
    source.fail(list.place, "CALLS is no list of calls; expected 1 to " + std::to_string(language::kMaximumCalls) +
                                " entries `dict(inputs=\"inputs\", …)`");
  }
  std::vector<language::CallSpec> calls;
  for (const language::ExprPtr& item : list.children) {
    calls.push_back(readCall(source, *item));
  }
  return calls;
}

language::CompileSpec readCompile(const SourceText& source, const language::Expr& dict) {
  language::CompileSpec compile;
  readDict(source, dict, "COMPILE", [&](const std::string& name, const language::Expr& value) {
    const Literals literals(source, name);
    if (name == "dynamic") {
      compile.dynamic =
          value.kind == language::ExprKind::kNone ? std::nullopt : std::optional<bool>(literals.boolean(value));
    } else if (name == "fullgraph") {
      compile.fullgraph = literals.boolean(value);
    } else if (name == "options") {
      readOptions(source, literals, value, compile);
    } else if (name == "config") {
      readFlags(source, literals, value, compile);
    } else {
      source.fail(value.place,
                  "COMPILE has no key `" + name + "`; expected `dynamic`, `fullgraph`, `options` or `config`");
    }
  });
  return compile;
}

void checkCalls(const SourceText& source, const language::Case& theCase, const language::Expr& list) {
  std::vector<bool> deferred(theCase.calls.size());
  for (size_t index = 0; index < theCase.calls.size(); ++index) {
    const language::CallSpec& call = theCase.calls[index];
    const language::Place place = list.children[index]->place;
    if (!call.inputs && index == 0) {
      source.fail(place, "the first call has no inputs before it; expected the name of a function that makes inputs");
    }
    if (call.inputs && (!language::isInputsName(*call.inputs) || !theCase.find(*call.inputs))) {
      source.fail(place, "there is no function `" + *call.inputs +
                             "` that makes inputs; expected one of the file whose "
                             "name begins with `inputs`");
    }
    if (call.between) {
      const language::Function* between = theCase.find(*call.between);
      if (!between || between->name == "program" || language::isInputsName(between->name) ||
          between->parameters.size() != 2) {
        source.fail(place, "there is no function `" + *call.between +
                               "` to run between forward and backward; expected "
                               "one with the parameters `(args, outs)`");
      }
    }
    if (!call.feed.empty() && index == 0) {
      source.fail(place, "the first call has no call before it that could feed it");
    }
    if (call.derivatives > 1 && call.via != language::GradientVia::kGrad) {
      source.fail(place,
                  "`derivatives` above 1 differentiates what `torch.autograd.grad` returns; expected "
                  "`via=\"grad\"` beside it");
    }
    for (const int each : call.backwardAfter) {
      const auto earlier = static_cast<size_t>(each);
      if (earlier >= index || !theCase.calls[earlier].backward || deferred[earlier]) {
        source.fail(place, "call " + std::to_string(earlier) + " has no backward to put off until after call " +
                               std::to_string(index) +
                               "; expected the index of an earlier call with a backward of its own");
      }
      deferred[earlier] = true;
    }
  }
}

} // namespace touchstone::parser
