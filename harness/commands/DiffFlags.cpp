#include "generators/decoder/Decoder.h"
#include "harness/commands/DiffCommand.h"

namespace touchstone::commands {

namespace {

constexpr const char* kDiffFooter =
    "Each Case is made once, as text, and judged on both sides at the same time; what changed is run again alone, "
    "twice on\n"
    "each side, reduced so that the change stays, and written into --findings with what to type to see it again.\n"
    "`worse`: a finding appears on the right, or what was judged no longer is. `better`: the other way round. `other`: "
    "a\n"
    "finding becomes another one, or only one side's eager takes the Case.\n"
    "Exit status: 0 no outcome has changed; 1 some has; 4 too little was judged. docs/diff.md has a gate for pull "
    "requests.\n"
    "\nExamples:\n"
    "  touchstone diff --left main.json --right mine.json --seconds 120           what does my change change?\n"
    "  touchstone diff --left main.json --right mine.json --allow-better corpus   these files; mended ones are no "
    "failure\n"
    "  touchstone diff --left torch:aot_eager --right torch:inductor --cases 200 --seed 7\n"
    "  touchstone diff --left torch:inductor --right torch:inductor --right-program build-2.12 --cases 100\n"
    "  touchstone diff --left aot_eager --right aot_eager_decomp_partition --cases 1000 --observations";

} // namespace

void addDiff(CLI::App& application, DiffOptions& options, Command& command) {
  CLI::App* comparing = application.add_subcommand(
      "diff", "Two profiles side by side: the Cases whose outcome changes from the left one to the right one");
  comparing->add_option("cases", options.paths, "Case files, or folders of them, instead of random Cases");
  comparing
      ->add_option("--left", options.left.given,
                   "What was: file of a profile (docs/profiles.md), or a backend's name (`touchstone backends`)")
      ->required();
  comparing->add_option("--right", options.right.given, "What is to be: the same")->required();
  comparing->add_option(
      "--left-program", options.left.program,
      "`touchstone` built against another PyTorch, or its build folder: the left side runs there, and "
      "random Cases are made there");
  comparing->add_option("--right-program", options.right.program, "The same for the right side");
  auto* seconds =
      comparing->add_option("--seconds", options.seconds, "Make random Cases for so many seconds")->check(aboveZero());
  comparing->add_option("--cases", options.cases, "Make so many random Cases; with a --seed, the same ones every time")
      ->excludes(seconds)
      ->check(aboveZero());
  comparing->add_option("--seed", options.seed, "Of the random Cases, as of `touchstone fuzz`; without it a fresh one")
      ->check(notNegative());
  comparing->add_option("--start", options.start, "Index of the first random Case")
      ->check(notNegative())
      ->capture_default_str();
  comparing->add_option("--calls", options.calls, "As of `touchstone fuzz`")
      ->check(CLI::Range(2, decoder::kMaximumSameCalls));
  comparing->add_option("--jobs,-j", options.workers, "Worker processes for each side")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  comparing->add_option("--findings", options.findings, "Folder for the changed Cases; made with the first of them")
      ->capture_default_str();
  comparing->add_option("--reduce-seconds", options.reduceSeconds, "Time to reduce each cluster; 0: none is reduced")
      ->check(notNegative())
      ->capture_default_str();
  comparing->add_option("--max-unjudged", options.maximumUnjudged, "Exit 4 above this share of unjudged Cases")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  comparing->add_flag("--allow-better", options.allowBetter, "Exit 0 where all that changed is better");
  comparing->add_flag(
      "--observations", options.observations,
      "List what the sides show otherwise where the outcome is the same, too; it changes no exit status");
  comparing->add_option("--junit", options.junit, "File for a JUnit report");
  addLimits(*comparing, options.limits);
  comparing->add_flag("--json", options.json, "Print one JSON object on standard output; see docs/json.md");
  comparing->footer(kDiffFooter);
  comparing->callback([&] { command = [&] { return diffProfiles(options); }; });
}

} // namespace touchstone::commands
