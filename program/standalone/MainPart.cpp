#include "program/standalone/MainPart.h"

#include "program/language/CasePrinter.h"
#include "program/language/CompileFlags.h"
#include "program/language/PythonConstructs.h"
#include "program/standalone/PythonTemplate.h"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace touchstone::standalone {
namespace {

using language::Outcome;
using language::Property;

const PythonTemplate& mainPart() {
  static const PythonTemplate mainPart(
#include "program/standalone/main_part.inc"
  );
  return mainPart;
}

/// The first expectation that a reader without Touchstone can check: of a finding, where there is one. An Agreed one has
/// nothing to show.
const language::Expectation* shownExpectation(const language::Case& theCase) {
  const language::Expectation* shown = nullptr;
  for (const language::Expectation& expectation : theCase.expectations) {
    const Outcome outcome = expectation.outcome;
    const bool showsNothing = outcome == Outcome::kAgreed || outcome == Outcome::kReference;
    if (showsNothing || !expectation.backend.starts_with(kTorchFamily)) {
      continue;
    }
    if (language::isFinding(outcome)) {
      return &expectation;
    }
    shown = shown == nullptr ? &expectation : shown;
  }
  return shown;
}

/// What is looked at: observed properties, or what a call does besides returning.
struct Symptom {
  const char* condition = "properties";
  const char* what = "anything observed";
};

Symptom symptomOf(Outcome outcome) {
  switch (outcome) {
    case Outcome::kCrashed:
    case Outcome::kTimedOut:
    case Outcome::kOutOfMemory: return {"survives", ""};
    case Outcome::kInternalError: return {"internal", "an internal error of the compiler"};
    case Outcome::kBackendRejected:
    case Outcome::kLimit: return {"raises", "raising where eager does not"};
    case Outcome::kMissingRefusal:
    case Outcome::kBackendAccepts: return {"accepts", "not raising where eager does"};
    default: return {};
  }
}

// `torch.nn.Module`, `torch.nn.Linear` and the like, but not `torch.nn.functional`.
bool isModule(const language::Expr& expr) {
  return expr.kind == language::ExprKind::kAttribute && expr.text != "functional" &&
         expr.children[0]->kind == language::ExprKind::kAttribute && expr.children[0]->text == "nn";
}

/// Flags of one config, by their names in it.
language::NamedLiterals flagsOf(const language::TorchSettings& settings, const std::string& config) {
  language::NamedLiterals flags;
  for (const auto& [name, value] : settings.flags) {
    if (name.starts_with(config + ".")) {
      flags.emplace_back(name.substr(config.size() + 1), value);
    }
  }
  return flags;
}

/// What torch.compile is given of COMPILE's options.
std::string optionsText(const language::CompileSpec& compile, const language::TorchSettings& settings) {
  if (settings.options.empty()) {
    return "None";
  }
  return settings.options.size() == compile.options.size() ? "COMPILE[\"options\"]"
                                                           : language::printLiterals(settings.options);
}

bool isNumber(const std::string& text) {
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && result.ec == std::errc() && result.ptr == text.data() + text.size() && value >= 0;
}

/// A Python list of the items in a header.
std::string listOf(const language::Case& theCase, const char* key, char separator) {
  std::string list;
  std::istringstream text(theCase.header(key).value_or(""));
  for (std::string item; std::getline(text, item, separator);) {
    if (!item.empty()) {
      list += (list.empty() ? "" : ", ") + language::printString(item);
    }
  }
  return "[" + list + "]";
}

/// Finds out what a Case needs of the template.
class Plan {
 public:
  Plan(const language::Case& theCase, std::optional<std::string> backend)
      : case_(theCase), shown_(shownExpectation(theCase)) {
    const std::string prefixed = backend.value_or(shown_ ? shown_->backend : "torch:aot_eager");
    backend_ = prefixed.substr(kTorchFamily.size());
    if (shown_) {
      symptom_ = symptomOf(shown_->outcome);
      where_ = shown_->where;
      if (shown_->call < static_cast<int>(theCase.calls.size())) {
        call_ = shown_->call; // that of a Case that was cut: all calls
      }
    }
    note(symptom_.condition);
    noteProperties();
    noteCalls();
    noteBackend();
    noteComparison();
  }

  Filling filling;

 private:
  void note(std::string_view condition, bool holds = true) {
    if (holds) {
      filling.holds.emplace(condition);
    }
  }
  bool has(std::string_view condition) const { return filling.has(condition); }
  bool hasAny(std::initializer_list<const char*> conditions) const {
    return std::ranges::any_of(conditions, [this](const char* each) { return has(each); });
  }
  bool single() const { return filling.properties.size() == 1; }
  int allCalls() const { return static_cast<int>(case_.calls.size()); }

  void noteProperties() {
    if (!has("properties")) {
      return;
    }
    const language::PropertyRow* only = shown_ && shown_->property ? &language::rowOf(*shown_->property) : nullptr;
    if (shown_ && shown_->outcome == Outcome::kNoneBecameZero) {
      only = &language::rowOf(Property::kGradientPresence);
    }
    for (const language::PropertyRow& row : language::kProperties) {
      // To compile again is no difference by itself.
      if (only ? &row == only : row.property != Property::kRecompiles) {
        filling.properties.push_back(&row);
        note(row.name);
        note(groupName(row.of), !row.expression.empty());
        note("compares_tensors", row.givesTensors);
      }
    }
    filling.several = !single();
    note("everything", filling.several);
    noteLaterLooks();
  }

  /// What is looked at again after later calls, and after a backward.
  void noteLaterLooks() {
    const bool isFollowed = call_ ? *call_ + 1 < allCalls() : allCalls() > 1;
    const bool hasBackward =
        std::ranges::any_of(case_.calls, [](const auto& call) { return call.backward.has_value(); });
    const auto isOf = [&](std::string_view role) { return where_.empty() || where_.starts_with(role); };
    note("late_outputs", has("values") && isFollowed && isOf("output"));
    note("late_gradients", has("gradient_values") && isFollowed && hasBackward && isOf("leaf"));
    note("late_tangents", has("input_values") && hasBackward && isOf("tangent"));
    note("late_inputs", has("inputs") && hasBackward && (isOf("arg") || isOf("watched")));
    note("late", hasAny({"late_outputs", "late_gradients", "late_tangents"}));
  }

  /// How many calls it takes to see what is to be seen.
  int callsToMake() const {
    if (!call_ || has("late")) {
      return allCalls();
    }
    int last = *call_;
    for (int index = last + 1; index < allCalls(); ++index) {
      if (std::ranges::count(case_.calls[static_cast<size_t>(index)].backwardAfter, *call_) > 0) {
        last = index;
      }
    }
    return last + 1;
  }

  void noteCalls() {
    const int calls = callsToMake();
    for (int index = 0; index < calls; ++index) {
      noteCall(case_.calls[static_cast<size_t>(index)]);
    }
    const bool needsPython = !language::needsPython(case_).empty();
    const auto isUsed = [&](const char* text) {
      return std::ranges::any_of(case_.allBodies(), [&](const language::Function* function) {
        return needsPython && language::printFunction(*function).find(text) != std::string::npos;
      });
    };
    for (const language::Function* function : case_.allBodies()) {
      const bool usesModules = language::anyExpression(function->body, isModule);
      note("modules", usesModules);
      note("random_inputs", usesModules && (language::isInputsName(function->name) || needsPython));
    }
    note("objects", needsPython);
    note("random", isUsed("random."));
    note("nested", isUsed("torch.compile("));
    note("one_call", call_.has_value());
    note("limited", call_ && calls > 1);
    filling.words.insert({{"CALL", std::to_string(call_.value_or(0))}, {"CALLS_MADE", std::to_string(calls)}});
    note("keeps", has("effect"));
    note("named", hasAny({"outputs", "inputs", "tensors", "effect"}));
    note("given", hasAny({"inputs", "tensors", "effect", "backward"}));
    note("flattens", hasAny({"named", "backward", "between", "feed"}));
  }

  void noteCall(const language::CallSpec& call) {
    note("reset", call.reset);
    note("reuse", !call.inputs);
    note("grad_mode", call.gradMode != language::GradMode::kEnable);
    note("autocast", call.autocast.has_value());
    note("between", call.between.has_value());
    note("deferred", !call.backwardAfter.empty());
    note("feed", !call.feed.empty());
    note("instance", call.instance > 0);
    if (call.backward) {
      note("backward");
      note("compiled_autograd", call.compiledAutograd);
      note("wrt", call.wrt.has_value());
      note("argument_roots", std::ranges::any_of(*call.backward, &language::BackwardRoot::isArgument));
      note(call.via == language::GradientVia::kGrad ? "via_grad" : "via_backward");
      note(language::tangentLayoutName(call.tangentLayout));
      note("tangents", call.tangentLayout != language::TangentLayout::kNone || call.derivatives > 1);
      note("derivatives", call.derivatives > 1);
    }
  }

  void noteBackend() {
    const language::CompileSpec& compile = case_.compile;
    const std::string imports = listOf(case_, language::kImportsHeader, ',');
    const std::string pythonPath = listOf(case_, language::kPythonPathHeader, ':');
    note("imports", imports != "[]");
    note("python_path", pythonPath != "[]");
    note("registered", hasAny({"imports", "python_path"}));
    note("imported", has("registered") || backend_.find(':') != std::string::npos);
    const language::TorchSettings settings = language::torchSettings(compile, has("imported"));
    for (const auto& [condition, word] :
         {std::pair("functorch", "FUNCTORCH"), std::pair("inductor", "INDUCTOR"), std::pair("dynamo", "DYNAMO")}) {
      const language::NamedLiterals flags = flagsOf(settings, condition);
      note(condition, !flags.empty());
      filling.words.emplace(word, language::printLiterals(flags));
    }
    for (const auto& [name, value] : settings.flags) {
      note("own_" + name.substr(name.rfind('.') + 1));
    }
    filling.words.insert({{"BACKEND", language::printString(backend_)},
                          {"IMPORTS", imports},
                          {"PYTHON_PATH", pythonPath},
                          {"DYNAMIC", !compile.dynamic   ? "None"
                                      : *compile.dynamic ? "True"
                                                         : "False"},
                          {"DYNAMIC_BACKWARD", compile.dynamic == std::optional<bool>(false) ? "False" : "True"},
                          {"FULLGRAPH", compile.fullgraph ? "True" : "False"},
                          {"OPTIONS", optionsText(compile, settings)}});
  }

  void noteComparison() {
    const std::string bound = case_.header("bound").value_or("");
    note("bound", isNumber(bound));
    note("compares_others", has("properties") && !has("compares_tensors") && !(has("version") && single()));
    filling.words.insert({{"BOUND", bound}, {"NAMES", names()}, {"DIFFERENCE", difference()}});
  }

  /// Of what is compared.
  std::string names() const {
    const bool placed = single() && !where_.empty();
    if (!call_ || (has("properties") && !placed)) {
      return "{**expected, **found}";
    }
    const std::string prefix = "call " + std::to_string(*call_) + " ";
    std::string text = language::printString(prefix + "raised");
    if (placed && hasAny({"late", "late_inputs"})) {
      return "[name for name in {**expected, **found} if (name + \" \").startswith((" + text + ", " +
             language::printString(prefix + where_ + " ") + "))]";
    }
    return "[" + text + (placed ? ", " + language::printString(prefix + where_) : "") + "]";
  }

  /// In words, for the function's first line.
  std::string difference() const {
    std::string what = single() ? std::string(filling.properties[0]->name) : symptom_.what;
    what += where_.empty() ? "" : " of " + where_;
    what += call_ ? " in call " + std::to_string(*call_) : "";
    return !has("compares_tensors")
               ? what
               : what + (has("bound") ? ", within " + case_.header("bound").value() : ", bit for bit");
  }

  const language::Case& case_;
  const language::Expectation* shown_;
  std::string backend_; // as torch.compile knows it
  Symptom symptom_;
  std::optional<int> call_; // the call that is looked at; none: all
  std::string where_; // the tensor that is looked at; empty: all
};

} // namespace

std::string printMainPart(const language::Case& theCase) {
  Filling filling = Plan(theCase, std::nullopt).filling;
  filling.holds.insert("main");
  filling.words["FUNCTION"] = "_main";
  return mainPart().fill(filling);
}

Assertion printAssertion(const language::Case& theCase, const std::string& backend, const std::string& name,
                         Compared compared) {
  Filling filling = Plan(theCase, backend).filling;
  if (compared == Compared::kKept) {
    filling.holds.insert("kept");
  }
  filling.words["FUNCTION"] = name;
  // An internal error may leave a process behind in which nothing works.
  return {mainPart().fill(filling), filling.has("survives") || filling.has("internal")};
}

} // namespace touchstone::standalone
