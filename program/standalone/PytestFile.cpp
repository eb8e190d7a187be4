#include "program/standalone/PytestFile.h"

#include "program/language/CasePrinter.h"
#include "program/standalone/MainPartPlan.h"
#include "program/standalone/MainPartWriter.h"

#include <algorithm>

namespace touchstone::standalone {

namespace {

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
  std::string name, text;
  bool runsApart = false; // the process may die
  std::vector<std::string> backends;
};

std::vector<Check> checksOf(const language::Case& theCase, const std::vector<std::string>& backends) {
  std::vector<Check> checks;
  for (const std::string& backend : backends) {
    const language::Case seen = asSeenBy(theCase, backend);
    MainPartPlan plan = planMainPart(seen);
    plan.backend = backend.substr(kTorchFamily.size());
    Check check;
    check.runsApart = plan.check == MainPartPlan::Check::kSurvives;
    const auto textWith = [&](const std::string& name) { return MainPartWriter(seen, plan).writeAssertion(name); };
    auto same =
        std::find_if(checks.begin(), checks.end(), [&](const Check& each) { return each.text == textWith(each.name); });
    if (same == checks.end()) {
      check.name = "_check" + (checks.empty() ? "" : "_" + std::to_string(checks.size() + 1));
      check.text = textWith(check.name);
      same = checks.insert(checks.end(), std::move(check));
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

std::string settings() {
  std::string text =
      "\n\n@contextlib.contextmanager\ndef _settings():\n"
      "    import torch._functorch.config\n    import torch._inductor.config\n\n"
      "    threads = torch.get_num_threads()\n    torch.set_num_threads(1)\n    torch._dynamo.reset()\n"
      "    with contextlib.ExitStack() as stack:\n"
      "        stack.callback(torch.set_num_threads, threads)\n"
      "        stack.enter_context(torch._tensor_str.printoptions(precision=10))\n";
  for (const CompilerSetting& setting : kCompilerSettings) {
    text += std::string("        stack.enter_context(torch.") + setting.module + ".config.patch(" + setting.name + "=" +
            setting.value + "))" + (*setting.why == 0 ? "" : std::string("  # ") + setting.why) + "\n";
  }
  return text + "        yield\n";
}

std::string testOf(const language::Case& theCase, const Check& check, const std::string& name) {
  std::string text = "\n\n@pytest.mark.parametrize(\n    \"backend\",\n    [\n";
  for (const std::string& backend : check.backends) {
    text += "        " + parameter(theCase, backend, check.runsApart) + ",\n";
  }
  text += "    ],\n)\ndef " + name + "(backend):\n";
  if (!check.runsApart) {
    return text + "    with _settings():\n        " + check.name + "(backend)\n";
  }
  return text + "    command = [sys.executable, __file__, " + language::printString(check.name) +
         ", backend]  # the process may die\n"
         "    done = subprocess.run(command, capture_output=True, text=True, timeout=600)\n"
         "    assert done.returncode == 0, f\"the process ended with {done.returncode}\\n{done.stderr[-2000:]}\"\n";
}

} // namespace

std::string printPytest(const language::Case& theCase, const PytestOptions& options) {
  std::string text = std::string(kPytestMarker) + " from " + options.source + "; another export replaces it.\n";
  for (const language::HeaderLine& line : theCase.headers) {
    text += "# " + line.key + ":" + (line.value.empty() ? "" : " " + line.value) + "\n";
  }
  const std::vector<Check> checks = checksOf(theCase, options.backends);
  const bool runsApart = std::any_of(checks.begin(), checks.end(), [](const Check& each) { return each.runsApart; });
  const bool needsSystem = runsApart || std::any_of(checks.begin(), checks.end(), [](const Check& each) {
                             return each.text.find("sys.") != std::string::npos;
                           });
  text += "import contextlib\n";
  text += runsApart ? "import subprocess\n" : "";
  text += std::string(needsSystem ? "import sys\n" : "") + "\nimport pytest\n" + language::printDefinitions(theCase) +
          settings();
  for (const Check& check : checks) {
    text += "\n\n" + check.text;
  }
  for (const Check& check : checks) {
    text += testOf(theCase, check, "test_" + options.name + check.name.substr(std::string("_check").size()));
  }
  if (runsApart) {
    text += "\n\nif __name__ == \"__main__\":\n    with _settings():\n        globals()[sys.argv[1]](sys.argv[2])\n";
  }
  return text;
}

} // namespace touchstone::standalone
