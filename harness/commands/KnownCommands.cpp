#include "harness/commands/KnownCommands.h"

#include "harness/baseline/KnownFindings.h"
#include "harness/baseline/RetestRecord.h"

#include <string>
#include <vector>

namespace touchstone::commands {

namespace {

CLI::Validator isDay() {
  return {[](const std::string& text) {
            return baseline::isDate(text) ? std::string() : "`" + text + "` is no date; write one as 2027-03-01";
          },
          "DATE"};
}

void addMask(CLI::App& application, MaskOptions& options, pool::ProfileFlags& profile, Command& command) {
  CLI::App* masking = application.add_subcommand(
      "mask", "Proposes a mask for a reduced finding: the pattern by which its like is told; or checks masks");
  masking->add_option("case", options.path, "Case file, reduced");
  masking->add_option("--backend,-b", options.backend, "The backend that fails it; default: the one of a finding");
  masking->add_option("--check", options.check,
                      "Known file: is each mask that has a case true of it, and of no neighbour that behaves?");
  masking->add_flag("--operations", options.showsOperations, "Only show the Case as masks see it");
  masking->add_option("--neighbours", options.neighbours, "How many Cases beside it are judged at most")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  masking->add_option("--known", options.known, "Known file that --add puts the mask into; made where there is none");
  masking->add_flag("--add", options.adds, "Put the mask into the file of --known, with the Case to retest it by");
  masking->add_option("--id", options.id, "Name of the entry; default: the cluster, else the Case file's name");
  masking->add_option("--reason", options.reason, "Why it is known");
  masking->add_option("--link", options.link, "Where that is told, such as an issue's address");
  masking->add_option("--expires", options.expires, "The last day on which it is excused")->check(isDay());
  masking->add_option("--jobs,-j", options.workers, "Worker processes")->check(CLI::Range(1, 256));
  addToday(*masking, options.today);
  pool::addProfileFlags(*masking, profile, pool::ProfileScope::kJudging);
  masking->add_flag("--json", options.json, "Print one JSON object on standard output; see docs/json.md");
  masking->footer(
      "A mask is the loosest pattern over a Program that matches the Case, and none of its neighbours that behave: "
      "Cases\n"
      "with one small edit, each of which is judged. What it matches is counted as Masked, whatever it shows. Two "
      "lines\n"
      "such as\n"
      "  \"y = dropout(_)\", \"*_(alias(y))\"\n"
      "say: something is dropped out, and later anything is done in place to memory that it shares. docs/known.md "
      "tells\n"
      "how to write and change one.\n"
      "Exit status: 0 when the mask holds; 1 when it matches a neighbour that behaves (with --check: which could be "
      "told\n"
      "apart), or nothing is known of it; 4 when the Case is no finding, or nothing was checked.\n"
      "\nExamples:\n"
      "  touchstone mask findings/aot_eager-values-1f3a5c7e.py\n"
      "  touchstone mask small.py --backend torch:aot_eager --known known.json --add \\\n"
      "      --link https://github.com/pytorch/pytorch/issues/1 --expires 2027-03-01\n"
      "  touchstone mask small.py --operations\n"
      "  touchstone mask --check known.json");
  masking->callback([&] {
    command = [&] {
      std::vector<std::string> names;
      if (!options.backend.empty()) {
        names.push_back(options.backend);
      }
      const std::vector<std::string> files =
          options.path.empty() ? std::vector<std::string>{} : std::vector{options.path};
      options.profile = (files.empty() ? profile : profile.orStoredBeside(files, names)).read(names);
      return maskCommand(options);
    };
  });
}

void addRetest(CLI::App& application, RetestOptions& options, pool::ProfileFlags& profile, Command& command) {
  CLI::App* retesting =
      application.add_subcommand("retest", "Runs what is known and what was found again: is it still there?");
  retesting->add_option("findings", options.paths, "Files of findings, or folders of them");
  retesting->add_option("--known", options.known,
                        "Known file: the case of each entry is run, and its day is looked at");
  retesting->add_option("--backend,-b", options.backend,
                        "Run all of them under this one; by default each under the one that it was found under");
  retesting->add_option("--jobs,-j", options.workers, "Worker processes (for each family of backends)")
      ->check(CLI::Range(1, 256));
  addToday(*retesting, options.today);
  addLimits(*retesting, options.limits);
  pool::addProfileFlags(*retesting, profile, pool::ProfileScope::kJudging);
  retesting->add_option("--junit", options.junit, "File for a JUnit report");
  retesting->add_flag("--json", options.json, "Print one JSON object on standard output; see docs/json.md");
  retesting->footer(
      "Each Case runs three times, in processes of its own. It is\n"
      "  still there       each run shows what is listed\n"
      "  fixed: remove me  each run agrees\n"
      "  changed           each run shows something else, or a weaker pipeline shows it now, too\n"
      "  flaky             not every run shows it\n"
      "  not judged        no run tells, as eager does not take the Case any more or nothing was compiled\n"
      "  no case           a known entry without a Case\n"
      "A file that names no backend and expects no finding is left out, unless --backend says what to run it under.\n"
      "Exit status: 1 when something is fixed, changed or expired, as the list needs a person then; 0 when all is as "
      "it "
      "is\n"
      "listed, or flaky; 4 when nothing could be judged; 5 when a store could not be written.\n"
      "\nExamples:\n"
      "  touchstone retest findings\n"
      "  touchstone retest --known known.json --json\n"
      "  touchstone retest --known known.json --today 2027-03-01     what will have expired by then?");
  retesting->callback([&] {
    command = [&] {
      std::vector<std::string> names;
      if (!options.backend.empty()) {
        names.push_back(options.backend);
      }
      options.profile = (options.paths.empty() ? profile : profile.orStoredBeside(options.paths, names)).read(names);
      baseline::RetestRecorder recorder;
      options.onResult = [&recorder](const baseline::RetestResult& result) { recorder.record(result); };
      return recorder.statusAfter(retestCommand(options));
    };
  });
}

} // namespace

void addToday(CLI::App& command, std::string& today) {
  command
      .add_option("--today", today, "Which known entries have expired, as if it were this day [the clock's, in UTC]")
      ->check(isDay());
}

void addKnownCommands(CLI::App& application, KnownCommandOptions& options, Command& command) {
  addMask(application, options.mask, options.maskProfile, command);
  addRetest(application, options.retest, options.retestProfile, command);
}

} // namespace touchstone::commands
