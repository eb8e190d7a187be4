#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

// Which backends and settings of the installed PyTorch show a finding: each asked in a Python process of its own, without
// Touchstone in it.

namespace touchstone::drafts {

/// What one process made of the Case. `word`: right, wrong, raises, or how the process ended.
struct PlainRun {
  std::string word, text; // text: what it printed of the difference
};

/// One way to compile, and what came of it each time.
struct AblationRow {
  std::string setting; // `inductor`, `dynamic=False`
  std::vector<PlainRun> runs;

  bool isRight() const; // each time
};

/// What `torch._dynamo.utils.same` says of what differs, at its default tolerance.
struct SameVerdict {
  std::string said; // `True`, `False`; `nothing` where it sees nothing of the difference, or was not asked
  std::string reference; // `double precision`, or why there was none
  std::vector<std::string> dtypes; // of the values
};

struct Ablation {
  std::vector<AblationRow> backends; // weakest first
  std::vector<AblationRow> settings; // of the finding's backend, with one thing changed
  SameVerdict same;
  std::string bisected; // what CompilerBisector found; empty: it was not asked, or came to no end
  std::string environment; // what torch.utils.collect_env says

  /// The row of the backend; empty runs where it was not asked.
  const AblationRow& of(const std::string& backend) const;
};

struct AblationOptions {
  std::filesystem::path file; // of standalone::printTestFunction()
  std::string backend; // as torch.compile knows it
  std::optional<bool> dynamic = false; // as the Case compiles; none: automatic
  bool fullgraph = false;
  int runs = 3; // of the finding's backend
  double seconds = 120; // for each process
  bool bisect = true;
  std::function<void(const std::string&)> progress; // told before each process what it asks
};
/// An interrupt ends it with the rows that are there.
Ablation ablate(const AblationOptions& options);

} // namespace touchstone::drafts
