#pragma once

#include "base/ExitStatus.h"
#include "harness/options/Option.h"

#include <functional>
#include <set>
#include <span>
#include <string>
#include <variant>

namespace touchstone::options {

/// Names of the options that the command line holds: `--seed`.
using Given = std::set<std::string>;

/// A command: its options, the end of its help, and what it does once they are read.
struct Command {
  OptionList options;
  std::string footer;
  std::function<base::ExitStatus(const Given&)> run;
};

/// A line of the table of commands.
struct CommandEntry {
  const char* name;
  const char* summary;
  const char* page; // where one reads on: `docs/fuzzing.md`; the last line of its help. Empty: nowhere
  Command (*make)();
};

/// A program of several commands.
struct Program {
  const char* name;
  const char* description;
  const char* footer; // of its help
  std::span<const CommandEntry> commands;
};

/// What is left to do when the arguments were read; or the exit status, where that was all: the help or a complaint is printed.
using Reading = std::variant<std::function<base::ExitStatus()>, base::ExitStatus>;
Reading readArguments(const Program& program, int count, char** arguments);

} // namespace touchstone::options
