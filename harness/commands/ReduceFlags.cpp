#include "harness/commands/ReduceFlags.h"

#include <string>
#include <vector>

namespace touchstone::commands {

void addReduce(CLI::App& application, ReduceOptions& options, pool::ProfileFlags& profile, Command& command) {
  CLI::App* reducing =
      application.add_subcommand("reduce", "The smallest Case with the same symptom, origin and base outcome");
  reducing->add_option("case", options.path, "Case file");
  CLI::Option* backend =
      reducing->add_option("--backend,-b", options.backend, "The backend that fails it; default: the one of a finding");
  const CLI::Option* hasCheck =
      reducing
          ->add_option(
              "--check", options.check,
              "Ask this command in place of a backend: it gets a candidate's path behind it, or in the place of {}, "
              "and exit status 0 means that the candidate is still what you look for")
          ->excludes(backend);
  reducing
      ->add_option("--check-seconds", options.checkSeconds, "Time for each run of the command; then its answer is no")
      ->check(aboveZero())
      ->capture_default_str();
  reducing->add_option("--output,-o", options.output, "Where to write it; default: standard output");
  reducing->add_option("--passes", options.passes.only, "Reduce with these passes alone, separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  reducing->add_option("--without-passes", options.passes.without, "Reduce with all passes but these")
      ->delimiter(',')
      ->allow_extra_args(false);
  reducing->add_flag("--list-passes", options.listPasses, "Say what each pass does, in order, and end");
  reducing->add_option("--known", options.known,
                       "File of known findings: a candidate that one of its masks matches does not count, unless the "
                       "Case given is matched, too; docs/known.md");
  reducing->add_option("--jobs,-j", options.workers, "Worker processes, or runs of the command at once")
      ->check(CLI::Range(1, 256));
  reducing
      ->add_option("--seconds", options.seconds,
                   "No candidate is begun after so many seconds; the best so far is confirmed and kept")
      ->check(aboveZero())
      ->capture_default_str();
  reducing->add_flag("--json", options.json, "Print one JSON object instead, with the Case in it");
  pool::addProfileFlags(*reducing, profile, pool::ProfileScope::kJudging);
  reducing->footer(
      "A candidate counts when it is smaller and shows the same symptom, from the same pipeline on. Ctrl-C and the end "
      "of\n"
      "the time leave the best so far, with a `# note:` that reducing was not finished. docs/reducing.md tells more.\n"
      "\nExamples:\n"
      "  touchstone reduce case.py --backend torch:aot_eager -o small.py\n"
      "  touchstone reduce findings/1a2b3c4d.py --jobs 2 --seconds 600\n"
      "  touchstone reduce case.py --without-passes inline-names,values\n"
      "  touchstone reduce case.py --check 'python {} 2>&1 | grep -q \"differs\"' -o small.py\n"
      "  touchstone reduce --list-passes");
  reducing->callback([&, hasCheck] {
    command = [&, hasCheck] {
      if (options.listPasses) {
        return listPasses(options.json);
      }
      if (options.path.empty()) {
        throw base::WrongUse("`touchstone reduce` needs a case file; `touchstone reduce --help` has examples.");
      }
      if (hasCheck->count() > 0) {
        if (options.check.find_first_not_of(' ') == std::string::npos) {
          throw base::WrongUse("`--check` needs a command; `touchstone reduce --help` has an example.");
        }
        return reduceByCheck(options);
      }
      if (options.backend.empty()) {
        options.backend = backendOfFinding(options.path);
      }
      std::vector<std::string> names{options.backend};
      options.profile = profile.orStoredBeside({options.path}, names).read(names);
      return reduceFile(options);
    };
  });
}

} // namespace touchstone::commands
