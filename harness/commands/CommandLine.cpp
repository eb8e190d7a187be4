#include "harness/commands/CommandLine.h"

#include "backends/native/NativeBackends.h"
#include "base/ExitStatus.h"
#include "base/Interrupt.h"
#include "graph/ir/Graphviz.h"
#include "harness/commands/Commands.h"
#include "harness/pool/WorkerProcess.h"
#include "harness/worker/Profile.h"
#include "harness/worker/WorkerMain.h"
#include "program/parser/CaseParser.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <variant>

namespace touchstone::commands {

namespace {

constexpr options::CommandEntry kCommands[] = {
#define COMMAND(name, summary, page, make) {name, summary, page, make},
#include "harness/commands/CommandTable.inc"
#undef COMMAND
};

constexpr const char* kDescription =
    "Tests compilers of PyTorch programs: is the compiled program still the program?\n"
    "Makes random programs, runs each eagerly and through compilers, and compares everything that can be observed.";

constexpr const char* kExamples =
    "Examples:\n"
    "  touchstone backends                                             what can be tested here\n"
    "  touchstone fuzz --seconds 60 --backends torch:aot_eager         look for a minute\n"
    "  touchstone fuzz --cases 200 --seed 7 --jobs 2 --json            the same 200 Cases every time\n"
    "  touchstone findings                                             what was found so far\n"
    "  touchstone run findings                                         do the findings still fail?\n"
    "  touchstone run case.py --backends torch:inductor,torch:eager    one file under other backends\n"
    "  touchstone reduce case.py --backend torch:aot_eager -o small.py\n"
    "  touchstone diff --left main.json --right mine.json --seconds 120   what does a change change?\n"
    "  touchstone suppress findings/ID.py                                  a pattern that tells its like\n"
    "  touchstone retest findings --known known.json                   what is mended, what has expired?\n"
    "  touchstone probe --profile mine.json -o proposed.json           what a backend of one's own takes\n"
    "  touchstone fuzz --load libmine.so --cases 500                   a backend of one's own in C++\n"
    "  touchstone export --pytest tests findings                       findings as tests that need PyTorch only\n"
    "  touchstone dump case.py --stage joint                           forward and backward as readable code\n"
    "  touchstone explain case.py                                      where its graphs break, and why\n"
    "  touchstone ladder case.py                                       from which pipeline on it differs\n"
    "  touchstone bisect case.py                                       and which application of which pass\n"
    "\n"
    "Exit status: 0 judged and nothing new; 1 new findings; 2 wrong use or unreadable input; 3 this machine lacks what\n"
    "was asked for; 4 too little was judged; 5 Touchstone itself failed; 130 interrupted, after the summary.";

template <class Error>
bool is(const std::exception& error) {
  return dynamic_cast<const Error*>(&error) != nullptr;
}

/// What a command ends with that ends by an exception; anything else is a fault of Touchstone.
struct Ending {
  bool (*is)(const std::exception&);
  base::ExitStatus status;
};
constexpr Ending kEndings[] = {
    {is<pool::WorkerUnavailable>, base::ExitStatus::kUnavailable},
    {is<worker::ProfileUnavailable>, base::ExitStatus::kUnavailable},
    {is<ir::GraphvizUnavailable>, base::ExitStatus::kUnavailable},
    {is<base::Interrupted>, base::ExitStatus::kInterrupted},
    {is<parser::ParseError>, base::ExitStatus::kWrongUse},
    {is<base::WrongUse>, base::ExitStatus::kWrongUse},
    {is<std::invalid_argument>, base::ExitStatus::kWrongUse}, // names of backends, mostly
};

base::ExitStatus statusOf(const std::function<base::ExitStatus()>& command) {
  try {
    return command();
  } catch (const std::exception& error) {
    const auto* ending =
        std::find_if(std::begin(kEndings), std::end(kEndings), [&](const Ending& each) { return each.is(error); });
    const bool isOurs = ending == std::end(kEndings);
    std::fprintf(stderr, "%s%s\n", isOurs ? "Touchstone failed: " : "", error.what());
    return isOurs ? base::ExitStatus::kFailed : ending->status;
  }
}

} // namespace

std::span<const options::CommandEntry> commandTable() {
  return kCommands;
}

int runProgram(const options::Program& program, int count, char** arguments) {
  if (count >= 2 && std::string(arguments[1]) == "worker") {
    return worker::runWorker(worker::nativeFamily(), count - 1, arguments + 1);
  }
  native::registerNativeBackends();
  const options::Reading read = options::readArguments(program, count, arguments);
  if (const auto* status = std::get_if<base::ExitStatus>(&read)) {
    return static_cast<int>(*status);
  }
  base::catchInterrupts();
  return static_cast<int>(statusOf(std::get<0>(read)));
}

int runCommandLine(int count, char** arguments) {
  return runProgram({"touchstone", kDescription, kExamples, commandTable()}, count, arguments);
}

} // namespace touchstone::commands
