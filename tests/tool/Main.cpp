// `touchstone-test-tool`: the commands that tests of Touchstone need, and its users do not.
#include "harness/commands/CommandLine.h"
#include "tests/tool/Commands.h"

#include <malloc.h>

namespace touchstone::tool {

namespace {

constexpr options::CommandEntry kCommands[] = {
    {"recompiles", "Why backends compile call sequences anew, as JSON lines", "docs/testing.md", recompilesCommand},
    {"observe", "Cases as files, and what eager does in them", "docs/testing.md", observeCommand},
    {"decode-bytes", "Random byte strings as Cases; does memory grow?", "docs/testing.md", decodeBytesCommand},
    {"check-graphs", "Are Graphs of random Cases printed, drawn, written and read?", "docs/testing.md",
     checkGraphsCommand},
    {"compile-cases", "Compiles Cases in this process; does memory grow?", "docs/testing.md", compileCasesCommand},
    {"reach", "Which edge classes do Cases have?", "docs/reach.md", reachCommand},
};

} // namespace

options::OptionList memoryOptions(uint64_t& warmUp, double& maximumGrowth) {
  return {{"--warm-up", &warmUp, "Memory is compared from here on", options::shown()},
          {"--max-growth", &maximumGrowth, "Exit 5 when the memory grows by so many MB", options::shown()}};
}

double allocatedMegabytes() {
  malloc_trim(0); // what is free, but kept at hand, counts as given out
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd) / 1e6;
}

} // namespace touchstone::tool

int main(int count, char** arguments) {
  return touchstone::commands::runProgram(
      {"touchstone-test-tool", "What the tests of Touchstone ask of its parts. docs/testing.md tells more.", "",
       touchstone::tool::kCommands},
      count, arguments);
}
