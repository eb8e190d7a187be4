#include "program/standalone/PytestFile.h"

#include "program/language/CasePrinter.h"
#include "program/language/StatementEditing.h"
#include "program/standalone/MainPart.h"
#include "program/standalone/PythonTemplate.h"

#include <algorithm>

namespace touchstone::standalone {

namespace {

const PythonTemplate& pytestFile() {
  static const PythonTemplate pytestFile(
#include "program/standalone/pytest_file.inc"
  );
  return pytestFile;
}

/// What pytest is to expect of one backend.
struct Mark {
  enum class Kind { kPasses, kFails, kEither } kind = Kind::kPasses;
  std::string reason;
};

/// Expectations about the backend; alternatives.
std::vector<language::Expectation> expectationsOf(const language::Case& theCase, const std::string& backend) {
  std::vector<language::Expectation> found;
  std::copy_if(theCase.expectations.begin(), theCase.expectations.end(), std::back_inserter(found),
               [&](const language::Expectation& each) { return each.backend == backend; });
  return found;
}

/// Outcomes that Touchstone alone comes to: what pytest will see is not known.
bool isOpenToPytest(language::Outcome outcome) {
  switch (outcome) {
    case language::Outcome::kUnsupported:
    case language::Outcome::kKnown:
    case language::Outcome::kSuppressed:
    case language::Outcome::kVacuous:
    case language::Outcome::kReference:
    case language::Outcome::kEagerUnstable:
    case language::Outcome::kIllConditioned:
    case language::Outcome::kUnconfirmed:
    case language::Outcome::kEagerRejected:
    case language::Outcome::kBothRejected:
    case language::Outcome::kEagerCrashed:
    case language::Outcome::kEagerTimedOut: return true;
    default: return false;
  }
}

Mark markOf(const language::Case& theCase, const std::string& backend) {
  Mark mark;
  const std::vector<language::Expectation> expected = expectationsOf(theCase, backend);
  for (const language::Expectation& each : expected) {
    if (each.outcome != language::Outcome::kAgreed) {
      const bool isOpen = expected.size() > 1 || isOpenToPytest(each.outcome);
      mark.kind = isOpen ? Mark::Kind::kEither : Mark::Kind::kFails;
      mark.reason += (mark.reason.empty() ? "" : " or ") + each.text().substr(backend.size() + 1);
    }
  }
  if (mark.kind != Mark::Kind::kPasses) {
    if (const auto note = theCase.header("note"); note.has_value()) {
      mark.reason += ": " + *note;
    }
  }
  return mark;
}

/// The Case as a reader sees it who asks about this backend alone; without a word on it, about what the Case is about.
language::Case asSeenBy(const language::Case& theCase, const std::string& backend) {
  language::Case seen = theCase;
  const std::vector<language::Expectation> own = expectationsOf(theCase, backend);
  if (std::any_of(own.begin(), own.end(),
                  [](const language::Expectation& each) { return each.outcome != language::Outcome::kAgreed; })) {
    seen.expectations = own;
  }
  return seen;
}

/// A function that compares, and the backends that it is called with.
struct Check {
  std::string name;
  Assertion function;
  std::vector<std::string> backends;
};

std::vector<Check> checksOf(const language::Case& theCase, const std::vector<std::string>& backends) {
  std::vector<Check> checks;
  for (const std::string& backend : backends) {
    const language::Case seen = asSeenBy(theCase, backend);
    const auto functionOf = [&](const std::string& name) { return printAssertion(seen, backend, name); };
    auto same = std::ranges::find_if(
        checks, [&](const Check& each) { return each.function.text == functionOf(each.name).text; });
    if (same == checks.end()) {
      const std::string name = "_check" + (checks.empty() ? "" : "_" + std::to_string(checks.size() + 1));
      same = checks.insert(checks.end(), {name, functionOf(name), {}});
    }
    same->backends.push_back(backend);
  }
  return checks;
}

std::string parameter(const language::Case& theCase, const std::string& backend, bool runsApart) {
  const Mark mark = markOf(theCase, backend);
  const std::string name = language::printString(backend.substr(kTorchFamily.size()));
  if (mark.kind == Mark::Kind::kPasses) {
    return name;
  }
  return "pytest.param(" + name +
         ", marks=pytest.mark.xfail(strict=" + (mark.kind == Mark::Kind::kFails ? "True" : "False") + ", " +
         (runsApart ? "" : "raises=AssertionError, ") + "reason=" + language::printString(mark.reason) + "))";
}

/// A part of the template.
std::string part(const char* name, Filling filling = {}) {
  filling.holds.insert(name);
  return pytestFile().fill(filling);
}

std::string testOf(const language::Case& theCase, const Check& check, const std::string& name) {
  std::string parameters;
  for (const std::string& backend : check.backends) {
    parameters +=
        (parameters.empty() ? "" : "\n        ") + parameter(theCase, backend, check.function.runsApart) + ",";
  }
  Filling filling;
  filling.words = {{"TEST", name}, {"CHECK", check.name}, {"PARAMETERS", parameters}};
  if (check.function.runsApart) {
    filling.holds.insert("apart");
  }
  return part("test", std::move(filling));
}

/// The comments above everything.
std::string headOf(const language::Case& theCase, const std::string& first) {
  std::string text = first + "\n";
  for (const language::HeaderLine& line : theCase.headers) {
    text += "# " + line.key + ":" + (line.value.empty() ? "" : " " + line.value) + "\n";
  }
  return text;
}

/// What the functions need of the parts around them.
Filling neededBy(const std::vector<Check>& checks) {
  Filling needed;
  for (const Check& each : checks) {
    if (each.function.runsApart) {
      needed.holds.insert({"apart", "system"});
    } else if (each.function.text.find("sys.") != std::string::npos) {
      needed.holds.insert("system");
    }
    for (const char* config : {"dynamo", "functorch", "inductor"}) {
      if (each.function.text.find("@torch._" + std::string(config) + ".config.patch") != std::string::npos) {
        needed.holds.insert(config);
      }
    }
  }
  return needed;
}

/// All but the tests.
std::string bodyOf(const language::Case& theCase, const std::string& name, const std::vector<Check>& checks,
                   const Filling& needed) {
  std::string text = part("imports", needed) + language::printDefinitions(language::withOperatorSpaces(theCase, name)) +
                     "\n\n" + part("settings");
  for (const Check& check : checks) {
    text += "\n\n" + check.function.text;
  }
  return text;
}

} // namespace

std::string printPytest(const language::Case& theCase, const PytestOptions& options) {
  const std::vector<Check> checks = checksOf(theCase, options.backends);
  const Filling needed = neededBy(checks);
  std::string text =
      headOf(theCase, std::string(kPytestMarker) + " from " + options.source + "; another export replaces it.") +
      bodyOf(theCase, options.name, checks, needed);
  for (const Check& check : checks) {
    text += "\n\n" + testOf(theCase, check, "test_" + options.name + check.name.substr(std::string("_check").size()));
  }
  return needed.has("apart") ? text + "\n\n" + part("script") : text;
}

std::string printTestFunction(const language::Case& theCase, const PytestOptions& options) {
  const std::string& backend = options.backends.at(0);
  const std::string name = "_check";
  const std::vector<Check> checks = {
      {name, printAssertion(asSeenBy(theCase, backend), backend, name, Compared::kKept), {backend}}};
  Filling needed = neededBy(checks);
  needed.holds.insert("bisected");
  needed.words = {{"CHECK", name}, {"BACKEND", language::printString(backend.substr(kTorchFamily.size()))}};
  const bool isApart = needed.has("apart");
  return headOf(theCase,
                std::string(kTestFunctionMarker) + " from " + options.source + "; another draft replaces it.") +
         bodyOf(theCase, options.name, checks, needed) + "\n\n" + part("function", needed) + "\n\n" +
         part(isApart ? "script" : "bisection", needed);
}

} // namespace touchstone::standalone
