#include "program/standalone/MainPartWriter.h"

#include "program/language/CasePrinter.h"

#include <algorithm>

namespace touchstone::standalone {

namespace {

std::string listText(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) {
    text += (text.empty() ? "" : ", ") + language::printString(item);
  }
  return "[" + text + "]";
}

} // namespace

std::string MainPartWriter::write() {
  add(0, "if __name__ == \"__main__\":");
  add(1, "import sys");
  add(0, "");
  add(1, "import torch._functorch.config");
  add(1, "import torch._inductor.config");
  add(0, "");
  add(1, "def _main(backend=" + language::printString(plan_.backend) + "):");
  addPurpose();
  addSettings();
  addComparison();
  add(0, "");
  add(1, "sys.exit(_main(*sys.argv[2:]))  # --backend NAME");
  return std::move(text_);
}

std::string MainPartWriter::writeAssertion(const std::string& name) {
  asserts_ = true;
  add(1, "def " + name + "(backend):");
  addPurpose();
  addComparison();
  return std::move(text_);
}

void MainPartWriter::addComparison() {
  addCompile();
  addReading();
  addEffects();
  addBackward();
  addRun();
  addVerdict();
}

void MainPartWriter::addPurpose() {
  std::string what = "anything observed";
  switch (plan_.check) {
    case MainPartPlan::Check::kRaises: what = "raising where eager does not"; break;
    case MainPartPlan::Check::kInternalError: what = "an internal error of the compiler"; break;
    case MainPartPlan::Check::kAccepts: what = "not raising where eager does"; break;
    case MainPartPlan::Check::kSurvives:
      add(2, "\"\"\"Runs the calls; the finding is that the process dies of it.\"\"\"");
      return;
    case MainPartPlan::Check::kProperties:
      if (single_) {
        what = std::string(language::propertyName(*plan_.properties.begin()));
      }
  }
  if (!plan_.where.empty()) {
    what += " of " + plan_.where;
  }
  if (plan_.call) {
    what += " in call " + std::to_string(*plan_.call);
  }
  const std::string exactness = !comparesTensors() || plan_.check != MainPartPlan::Check::kProperties ? ""
                                : plan_.bound.empty()                                                 ? ", bit for bit"
                                                      : ", within " + plan_.bound;
  const std::string differs = "ompiled, `program` differs from eager in " + what + exactness;
  add(2, asserts_ ? "\"\"\"Raises when c" + differs + ".\"\"\"" : "\"\"\"1 when c" + differs + "; else 0.\"\"\"");
}

void MainPartWriter::addSettings() {
  add(2, "torch.set_num_threads(1)");
  add(2, "torch.set_printoptions(precision=10)");
  for (const CompilerSetting& setting : kCompilerSettings) {
    const std::string comment = *setting.why == 0 ? "" : std::string("  # ") + setting.why;
    add(2, std::string("torch.") + setting.module + ".config." + setting.name + " = " + setting.value + comment);
  }
}

std::string MainPartWriter::compileArguments() const {
  const language::CompileSpec& compile = case_.compile;
  std::string text = compile.dynamic ? *compile.dynamic ? "dynamic=True" : "dynamic=False" : "dynamic=None";
  text += compile.fullgraph ? ", fullgraph=True" : "";
  return compile.options.empty() ? text : text + ", options=COMPILE[\"options\"]";
}

void MainPartWriter::addCompile() {
  add(0, "");
  add(2, "def compiled(function):");
  add(3, "if backend in (\"none\", \"eager_python\"):");
  add(4, "return function");
  add(3, "if backend == \"aot_function\":");
  add(4, "from functorch.compile import aot_function, nop");
  add(0, "");
  add(4, "return lambda *args: aot_function(function, nop)(*args)");
  const bool isRegistered = !plan_.imports.empty() || !plan_.pythonPath.empty();
  if (plan_.backend.find(':') == std::string::npos && !isRegistered) {
    add(3, "return torch.compile(function, backend=backend, " + compileArguments() + ")");
    return;
  }
  add(3, "import importlib");
  add(3, "import operator");
  add(0, "");
  add(3, "module, _, names = backend.partition(\":\")");
  if (!plan_.pythonPath.empty()) {
    add(3, "sys.path[:0] = " + listText(plan_.pythonPath));
  }
  add(3, "sys.path.append(\".\")");
  add(3, "try:");
  for (const std::string& name : plan_.imports) {
    add(4, "importlib.import_module(" + language::printString(name) + ")");
  }
  add(4, "chosen = operator.attrgetter(names)(importlib.import_module(module)) if names else backend");
  if (isRegistered) {
    add(4, "torch._dynamo.lookup_backend(chosen)");
  }
  add(3, isRegistered ? "except Exception as error:" : "except (ImportError, AttributeError) as error:");
  if (asserts_) {
    add(4, "raise ImportError(f\"There is no backend {backend}: {error}\") from error");
  } else {
    add(4, "print(f\"There is no backend {backend}: {error}\")");
    add(4, "sys.exit(2)");
  }
  add(3, "return torch.compile(function, backend=chosen, " + compileArguments() + ")");
}

std::string MainPartWriter::names() const {
  std::string text = plan_.call ? "\"call " + std::to_string(*plan_.call) + " raised\"" : "";
  const std::string prefix = "call " + std::to_string(plan_.call.value_or(0)) + " ";
  if (!plan_.where.empty() && single_) {
    text += ", " + language::printString(prefix + plan_.where);
    text += plan_.lateLook ? ", " + language::printString(prefix + plan_.where + " looked at again") : "";
  }
  return text;
}

void MainPartWriter::addVerdict() {
  add(0, "");
  if (plan_.check == MainPartPlan::Check::kSurvives) {
    add(2, "run(program)");
    add(2, "run(compiled(program))");
    if (!asserts_) {
      add(2, "print(\"The process is still alive.\")");
      add(2, "return 0");
    }
    return;
  }
  const bool byName =
      plan_.call && (plan_.check != MainPartPlan::Check::kProperties || (!plan_.where.empty() && single_));
  const std::string kept = asserts_ ? "differences = run(program), run(compiled(program)), []"
                                    : "status = run(program), run(compiled(program)), 0";
  add(2, "expected, found, " + kept);
  add(2, byName ? "for name in [" + names() + "]:" : "for name in {**expected, **found}:");
  add(3, "a, b = expected.get(name), found.get(name)");
  add(3, "if " + condition() + ":");
  const std::string difference = "f\"{name} differs\\neager: {a}\\n{backend}: {b}\"";
  if (asserts_) {
    add(4, "differences.append(" + difference + ")");
    add(2, "assert not differences, \"\\n\".join(differences)");
    return;
  }
  add(4, "print(" + difference + ")");
  add(4, "status = 1");
  add(2, "print(\"differs\" if status else \"agrees\")");
  add(2, "return status");
}

std::string MainPartWriter::condition() const {
  switch (plan_.check) {
    case MainPartPlan::Check::kRaises: return "b and not a";
    case MainPartPlan::Check::kAccepts: return "a and not b";
    case MainPartPlan::Check::kInternalError: return "b is not None and a != b";
    default: break;
  }
  if (single_ && sees(language::Property::kVersion)) {
    return "a and not b"; // a compiler may count more, not less
  }
  const std::string differs = comparesTensors() ? "not same(a, b)" : "a != b";
  return sees(language::Property::kVersion) ? differs + " and not (name.endswith(\"version\") and b)" : differs;
}

std::string printMainPart(const language::Case& theCase) {
  return MainPartWriter(theCase).write();
}

} // namespace touchstone::standalone
