#include "harness/commands/Commands.h"

#include "harness/pool/CaseFiles.h"
#include "program/language/CasePrinter.h"
#include "program/standalone/CaseFile.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace touchstone::commands {

namespace {

/// `touchstone print`: case files as they are printed, on standard output or written back.
struct PrintOptions {
  std::vector<std::string> paths;
  bool rewrite = false, shortForm = false;
};

base::ExitStatus printCases(const PrintOptions& options) {
  const auto form = options.shortForm ? language::CaseForm::kShort : language::CaseForm::kWhole;
  std::vector<std::string> errors;
  for (const pool::CaseFile& file : pool::readCaseFiles(
           pool::findCaseFiles(options.paths),
           options.rewrite ? pool::OtherMainPart::kRewrite : pool::OtherMainPart::kRefuse, errors, form)) {
    if (!options.rewrite) {
      fmt::print("{}", standalone::printCase(file.content, form));
    }
  }
  for (const std::string& error : errors) {
    fmt::print(stderr, "{}\n", error);
  }
  return errors.empty() ? base::ExitStatus::kNothingNew : base::ExitStatus::kWrongUse;
}

} // namespace

options::Command printCommand() {
  const auto asked = std::make_shared<PrintOptions>();
  return {
      .options = {options::caseFiles(asked->paths),
                  {"--rewrite", &asked->rewrite, "Write the form back into the files, `__main__` part included"},
                  {"--short", &asked->shortForm,
                   "Leave out `data` and the `__main__` part: what remains is the same Case to Touchstone, and to "
                   "read"}},
      .footer =
          "Python runs the whole form alone. The files of corpus/ are kept in the short one.\n"
          "\nExamples:\n"
          "  touchstone print short.py > whole.py && python whole.py\n"
          "  touchstone print --short --rewrite corpus",
      .run = [asked](const options::Given&) { return printCases(*asked); },
  };
}

} // namespace touchstone::commands
