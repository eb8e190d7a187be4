#include "harness/commands/CommandParts.h"

namespace touchstone::commands {

CLI::Validator aboveZero() {
  return {[](const std::string& text) {
            double number = 0;
            return CLI::detail::lexical_cast(text, number) && number > 0 ? std::string()
                                                                         : "`" + text + "` is no number above 0";
          },
          "NUMBER above 0"};
}

CLI::Validator notNegative() {
  return {[](const std::string& text) { return text.starts_with('-') ? "`" + text + "` is below 0" : std::string(); },
          ""};
}

void addLimits(CLI::App& command, pool::LimitOptions& limits) {
  command
      .add_option("--eager-seconds", limits.eagerSeconds,
                  "Processor time for each Case, to make or read it and to run it eagerly; four times as long on the "
                  "clock [30]")
      ->check(aboveZero());
  command
      .add_option("--backend-seconds", limits.backendSeconds,
                  "The same for each backend, to compile and to make the calls [30; with Inductor 120]")
      ->check(aboveZero());
  command
      .add_option("--memory-mib", limits.memoryMebibytes, "Memory for each Case, three quarters of it tensors [3072]")
      ->check(CLI::Range(16, 1 << 20));
}

} // namespace touchstone::commands
