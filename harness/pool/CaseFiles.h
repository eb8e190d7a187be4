#pragma once

#include "program/language/CasePrinter.h"

#include <filesystem>
#include <string>
#include <vector>

namespace touchstone::pool {

/// What `touchstone draft` puts beside a Case: no Case, though a folder or a pattern of the shell names it, too.
bool isDraftedTest(const std::filesystem::path& file);

/// The case files that the paths name: files as they are, folders as all `*.py` below them, sorted, but for the tests
/// that `touchstone draft` puts beside a Case. Throws WrongUse for a path that is neither.
std::vector<std::string> findCaseFiles(const std::vector<std::string>& paths);

/// A Case file as it is: read as a check, its text as a job carries it, so that lines keep their numbers. Throws WrongUse
/// and parser::ParseError.
struct GivenCase {
  language::Case theCase;
  std::string text;
};
GivenCase readGivenCase(const std::string& path);

struct CaseFile {
  std::string path;
  language::Case content;
};
/// What is done with a `__main__` part that is not the generated one; kRewrite writes every file as it would be printed.
enum class OtherMainPart { kRefuse, kAccept, kRewrite };
/// Reads each; what cannot be read is left out and explained, one text a file, in `errors`. Rewritten files have this form.
std::vector<CaseFile> readCaseFiles(const std::vector<std::string>& files, OtherMainPart other,
                                    std::vector<std::string>& errors,
                                    language::CaseForm form = language::CaseForm::kWhole);

/// The backend that a Case names as the one it was found under, or else the one under which it is expected to fail. Throws WrongUse,
/// with the path, where it names none or several.
std::string backendOfFinding(const language::Case& theCase, const std::string& path);

} // namespace touchstone::pool
