#include "harness/commands/StoreCommands.h"

namespace touchstone::commands {

void addStoreCommands(CLI::App& application, StoreCommandOptions& options, Command& command) {
  CLI::App* showing =
      application.add_subcommand("findings", "What was found so far: the store of a folder of findings");
  FindingsOptions& findings = options.findings;
  showing
      ->add_option(
          "what", findings.what,
          "A folder of findings or a store, by default `findings`; and the id of a finding, or how it begins, to "
          "see it whole")
      ->expected(0, 2);
  showing
      ->add_option("--status", findings.statuses,
                   "Only findings with one of these, separated by commas: new, open, known, flaky, fixed")
      ->delimiter(',');
  showing->add_flag("--campaigns", findings.campaigns, "List the campaigns instead, with what they counted");
  showing->add_flag("--json", findings.json, "Print one JSON object on standard output; see docs/json.md");
  showing->footer(
      "A finding is `new` until a later campaign sees it again (`open`), `known` when it is on the list of known bugs, "
      "`fixed`\n"
      "when a retest does not see it any more, `flaky` when retests do not agree. docs/store.md tells more.\n"
      "\nExamples:\n"
      "  touchstone findings                                    the table\n"
      "  touchstone findings night/store.sqlite --status new,open\n"
      "  touchstone findings night torch-aot_eager-strides-1f   one with its Case, and how to run it again\n"
      "  touchstone findings night --campaigns");
  showing->callback([&] { command = [&] { return showFindings(findings); }; });

  CLI::App* merging = application.add_subcommand("merge", "Puts stores of findings together");
  MergeOptions& merge = options.merge;
  merging->add_option("into", merge.into, "A folder of findings or a store; it is made where there is none")
      ->required();
  merging->add_option("from", merge.from, "Folders of findings or stores, which stay as they are")->required();
  merging->add_flag("--json", merge.json, "Print one JSON object on standard output; see docs/json.md");
  merging->footer(
      "Campaigns and findings are told apart by their ids, so merging twice changes nothing, and the order does not "
      "matter.\n"
      "Case files are written beside the store, with their masks; a name that is taken by another text gets a number.\n"
      "\nExamples:\n"
      "  touchstone merge all night/1 night/2 night/3 night/4\n"
      "  touchstone merge findings colleague/store.sqlite");
  merging->callback([&] { command = [&] { return mergeStores(merge); }; });
}

} // namespace touchstone::commands
