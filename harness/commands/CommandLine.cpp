#include "harness/commands/CommandLine.h"
#include "base/ExitStatus.h"

#include "backends/native/NativeBackends.h"
#include "base/Interrupt.h"
#include "base/NearestName.h"
#include "generators/decoder/Decoder.h"
#include "graph/ir/Graphviz.h"
#include "harness/commands/CheckGraphsCommand.h"
#include "harness/commands/CommandParts.h"
#include "harness/commands/CompileCasesCommand.h"
#include "harness/commands/DecodeBytesCommand.h"
#include "harness/commands/DiffCommand.h"
#include "harness/commands/ExportCommand.h"
#include "harness/commands/FuzzCommand.h"
#include "harness/commands/KnownCommands.h"
#include "harness/commands/ListCommands.h"
#include "harness/commands/ObserveCommand.h"
#include "harness/commands/OperatorsCommand.h"
#include "harness/commands/ProbeCommand.h"
#include "harness/commands/RecompilesCommand.h"
#include "harness/commands/ReduceFlags.h"
#include "harness/commands/RunCommand.h"
#include "harness/commands/StageCommands.h"
#include "harness/commands/StoreCommands.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/pool/WorkerProcess.h"
#include "harness/worker/WorkerMain.h"
#include "program/parser/CaseParser.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace touchstone::commands {

namespace {

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
    "  touchstone mask findings/ID.py                                  a pattern that tells its like\n"
    "  touchstone retest findings --known known.json                   what is mended, what has expired?\n"
    "  touchstone probe --profile mine.json -o proposed.json           what a backend of one's own takes\n"
    "  touchstone fuzz --load libmine.so --cases 500                   a backend of one's own in C++\n"
    "  touchstone export --pytest tests findings                       findings as tests that need PyTorch only\n"
    "  touchstone dump case.py --stage joint                           forward and backward as readable code\n"
    "  touchstone explain case.py                                      where its graphs break, and why\n"
    "  touchstone ladder case.py                                       from which pipeline on it differs\n"
    "  touchstone bisect case.py                                       and which application of which pass\n"
    "\n"
    "Exit status: 0 judged and nothing new; 1 new findings; 2 wrong use or unreadable input; 3 this machine lacks "
    "what\n"
    "was asked for; 4 too little was judged; 5 Touchstone itself failed; 130 interrupted, after the summary.";

struct Shard {
  static std::string read(const std::string& text, campaign::FuzzOptions& options) {
    unsigned long long part = 0, parts = 0;
    int end = 0;
    if (std::sscanf(text.c_str(), "%llu/%llu%n", &part, &parts, &end) != 2 || static_cast<size_t>(end) != text.size() ||
        part < 1 || part > parts) {
      return "Expected I/N with 1 <= I <= N, such as 2/8; got `" + text + "`.";
    }
    options.shard = part;
    options.shards = parts;
    return "";
  }
};

std::vector<std::string> withoutRepeats(const std::vector<std::string>& names) {
  std::vector<std::string> result;
  for (const std::string& name : names) {
    if (std::find(result.begin(), result.end(), name) == result.end()) {
      result.push_back(name);
    }
  }
  return result;
}

/// Reads a profile into a command's options, with the backends that its `--backends` names or the profile does.
template <class Options>
void takeProfile(Options& options, const pool::ProfileFlags& flags, bool namesBackends) {
  std::vector<std::string> names = namesBackends ? withoutRepeats(options.backends) : std::vector<std::string>();
  options.profile = flags.read(names);
  options.backends = names.empty() ? options.backends : names;
}

void addFuzz(CLI::App& application, campaign::FuzzOptions& options, pool::ProfileFlags& profile, Command& command) {
  CLI::App* fuzzing =
      application.add_subcommand("fuzz", "Makes random Cases, judges them, confirms and reduces what differs");
  auto* seconds = fuzzing->add_option("--seconds", options.seconds, "Stop after so many seconds")->check(aboveZero());
  fuzzing->add_option("--cases", options.cases, "Stop after so many Cases; with a --seed, the same ones every time")
      ->excludes(seconds)
      ->check(aboveZero());
  fuzzing->add_option("--seed", options.seed, "Seed of the campaign; without it a fresh one is made and printed")
      ->check(notNegative());
  fuzzing->add_option("--start", options.start, "Index of the first Case")->check(notNegative())->capture_default_str();
  fuzzing
      ->add_option("--calls", options.calls,
                   "Calls of each Case that change nothing but values, tangents and what is differentiated, so that "
                   "what was compiled is used again; single changes come on top. Without it 22 where one of the "
                   "backends is a torch.compile, else 2")
      ->check(CLI::Range(2, decoder::kMaximumSameCalls));
  fuzzing->add_flag("--sequences", options.sequences,
                    "Cases of two to four calls that each change one thing of the call before: size, rank, stride, "
                    "offset, dtype, requires_grad, leaf, view, identity, shared memory and its distance, ints, floats, "
                    "bools, strings, None, lists, dict keys, modules, grad mode, autocast, or nothing but the values");
  fuzzing->add_option_function<std::string>(
      "--shard",
      [&options](const std::string& text) {
        if (std::string trouble = Shard::read(text, options); !trouble.empty()) {
          throw CLI::ValidationError("--shard", trouble);
        }
      },
      "I/N: take every N-th Case, beginning with the I-th");
  fuzzing->add_option("--jobs,-j", options.workers, "Worker processes (for each family of backends)")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  const CLI::Option* backends = fuzzing
                                    ->add_option("--backends,-b", options.backends,
                                                 "Backends to judge, separated by commas; by default the profile's, "
                                                 "without one eager,torch:aot_eager")
                                    ->delimiter(',');
  fuzzing->add_option("--findings", options.findings, "Folder of findings; those in it already are known")
      ->capture_default_str();
  fuzzing->add_option(
      "--store", options.store,
      "Database of findings and campaigns, which several campaigns may share while they run; by default "
      "`store.sqlite` in the folder of findings. `touchstone findings` shows it");
  fuzzing->add_option("--max-findings", options.maximumFindings, "Stop after so many new findings; 0: never")
      ->check(notNegative())
      ->capture_default_str();
  fuzzing->add_option("--known", options.known,
                      "File of known findings (docs/known.md): what it has is counted, and neither confirmed, reduced "
                      "nor reported, until its day has passed");
  addToday(*fuzzing, options.today);
  fuzzing
      ->add_option("--masks", options.masks,
                   "Whose new findings get a mask, by which their like is told whatever it shows: those of `native` "
                   "backends, `all` (some 200 small Cases are judged for each), or `none`")
      ->check(CLI::IsMember({"native", "all", "none"}))
      ->capture_default_str();
  fuzzing->add_option("--events", options.events, "File for JSON lines as things happen");
  fuzzing->add_option("--corpus", options.corpus,
                      "Files and folders of Cases that others are made of: their Programs are continued, changed, or "
                      "spliced into each other");
  fuzzing
      ->add_option("--corpus-share", options.corpusShare,
                   "With --corpus: so large a share of the Cases is made in this way")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  fuzzing->add_flag_callback(
      "--no-feedback", [&options] { options.feedback = false; },
      "With --seconds, do not go on from the campaign's own Cases that were first to show something, such as an "
      "operator "
      "on another layout or behind another one on the same memory. With --cases and --shard that is off anyway");
  fuzzing->add_option(
      "--resume", options.resume,
      "Folder of a campaign that was ended: go on where it was, with the options it was begun with. Without "
      "one there, begin it and keep its state there");
  fuzzing->add_flag("--require-valid", options.requireValid, "Exit 4 when too little of the campaign tested anything");
  fuzzing->add_option("--max-unjudged", options.maximumUnjudged, "Exit 4 above this share of unjudged Cases")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  fuzzing->add_flag(
      "--judge-only", options.judgeOnly,
      "Only count outcomes: nothing is confirmed, reduced or stored, so nothing becomes a finding; the state "
      "is kept only where --resume names a folder for it");
  fuzzing->add_option("--reduce-seconds", options.reduceSeconds, "Time to reduce each finding")
      ->check(notNegative())
      ->capture_default_str();
  addLimits(*fuzzing, options.limits);
  pool::addProfileFlags(*fuzzing, profile, pool::ProfileScope::kEverything);
  fuzzing->add_flag("--json", options.json, "Print one JSON object on standard output; see docs/json.md");
  fuzzing->footer(
      "Case I of a campaign depends on --seed, I, the profile and --calls, which --backends decides where it is not "
      "given,\n"
      "and on nothing else, so a night can be cut into shards and any Case made again:\n"
      "  touchstone fuzz --seed 7 --start 1204 --cases 1\n"
      "With --corpus it depends on the contents of the files, too; with --seconds on the Cases before it as well, "
      "unless "
      "there\n"
      "is --no-feedback or --shard. What is found is a file of its own in any case.\n"
      "\n"
      "The state is kept in the folder of findings every few seconds. A campaign that was killed goes on with\n"
      "  touchstone fuzz --resume findings\n"
      "docs/fuzzing.md tells how to run a night.");
  fuzzing->callback([&, fuzzing, backends] {
    for (const CLI::Option* option : fuzzing->get_options()) {
      if (option->count() > 0) {
        options.given.insert(option->get_name());
      }
    }
    command = [&, backends] {
      takeProfile(options, profile, backends->count() > 0);
      return fuzz(options);
    };
  });
}

/// A profile that nobody named changes nothing in which backends judge, and is about one of them.
RunOptions withProfile(RunOptions options, const pool::ProfileFlags& given) {
  const bool namesBackends = !options.backends.empty();
  const pool::ProfileFlags flags = given.orStoredBeside(options.paths, options.backends);
  takeProfile(options, flags, namesBackends);
  if (flags.file != given.file && !namesBackends) {
    options.backends.clear();
  }
  options.profileFlags = flags.commandLine();
  return options;
}

void addRun(CLI::App& application, RunOptions& options, pool::ProfileFlags& profile, Command& command) {
  CLI::App* running = application.add_subcommand("run", "Judges case files against their expectations");
  running->add_option("cases", options.paths, "Case files, or folders of them; or folders of Graphs of `dump --graphs`")
      ->required();
  running
      ->add_option("--backends,-b", options.backends,
                   "Separated by commas; by default the profile's, without one those that each file expects "
                   "something of, and `eager`")
      ->delimiter(',');
  running->add_option("--jobs,-j", options.workers, "Worker processes (for each family of backends)")
      ->check(CLI::Range(1, 256));
  addLimits(*running, options.limits);
  pool::addProfileFlags(*running, profile, pool::ProfileScope::kJudging);
  running->add_option("--known", options.known, "File of known findings (docs/known.md): these are as expected");
  addToday(*running, options.today);
  running->add_option("--junit", options.junit, "File for a JUnit report");
  running->add_flag("--rewrite", options.rewrite, "Replace a `__main__` part that is not the generated one");
  running->add_flag("--json", options.json, "Print one JSON object on standard output; see docs/json.md");
  running->footer(
      "A line `# expect: torch:aot_eager Differs/values` in a file says what is known; without a line for a backend\n"
      "it is expected to agree. So a folder of known failures can sit in CI.\n"
      "A folder that `touchstone dump --graphs` made is run again, Graph by Graph: where the values of its run were "
      "kept, it\n"
      "has to give the same (exit status 1); else it runs on inputs like those that it was compiled for. Findings are "
      "judged\n"
      "with the profile that `touchstone fuzz` put beside them, where it names no code and --profile no other.");
  running->callback([&] { command = [&] { return runCases(withProfile(options, profile)); }; });
}

void addProbe(CLI::App& application, ProbeOptions& options, pool::ProfileFlags& profile, Command& command) {
  CLI::App* probing = application.add_subcommand(
      "probe", "What a backend takes: each operator and dtype on its own, forward and backward; proposes a profile");
  CLI::Option* backend = probing->add_option("--backend,-b", options.backend, "The backend; by default the profile's");
  probing->add_flag("--all", options.all, "Show operators that are supported everywhere, too");
  probing->add_flag("--exclude-wrong", options.excludeWrong, "Propose to exclude operators with wrong results, too");
  probing->add_option("--output,-o", options.output, "File for the proposed profile");
  probing
      ->add_option("--seconds", options.seconds,
                   "Begin no probe after so many seconds, but end what was begun; the dtypes come one after the other, "
                   "each with its operators "
                   "in an order of no meaning, so that what is tried is a sample")
      ->check(aboveZero());
  probing->add_flag(
      "--one-by-one", options.oneByOne,
      "Try each operator in a Case of its own from the start; without it, several share one where compiling "
      "is dear, and are taken apart when it is not as eager's");
  probing->add_option("--write-cases", options.cases, "Folder for the Cases that are not supported, one file each");
  probing->add_option("--jobs,-j", options.workers, "Worker processes")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  addLimits(*probing, options.limits);
  pool::addProfileFlags(*probing, profile, pool::ProfileScope::kEverything);
  probing->add_flag("--json", options.json, "Print one JSON object on standard output; see docs/json.md");
  probing->footer(
      "A Case holds one operator of `touchstone ops`, in each of its spellings, on clones of its arguments, and is "
      "judged\n"
      "as any other Case. --operators, --exclude-operators, --dtypes and --exclude-dtypes restrict what is tried.\n"
      "Exit status: 1 when results are wrong, or the backend crashes, hangs or dies of an assertion of its own; 4 "
      "when\n"
      "nothing could be judged.\n"
      "\nExamples:\n"
      "  touchstone probe --backend torch:inductor --operators 'sin,mm,cat' --dtypes float32,bfloat16\n"
      "  touchstone probe --backend torch:inductor --seconds 3600 -o proposed.json\n"
      "  touchstone probe --profile mine.json -o proposed.json\n"
      "  touchstone fuzz --profile proposed.json --cases 500 --require-valid");
  probing->callback([&, backend] {
    command = [&, backend] {
      std::vector<std::string> names;
      if (backend->count() > 0) {
        names.push_back(options.backend);
      }
      options.proposalBase = profile.withoutGeneratingFlags().read(names).text;
      options.profile = profile.read(names);
      options.backend = names.empty() ? options.backend : names[0];
      return probe(options);
    };
  });
}

/// Values that the small commands' options are read into.
struct SmallOptions {
  bool json = false, rewrite = false, shortForm = false;
  pool::ProfileFlags profile, generateProfile;
  uint64_t seed = 0, cases = 0;
  std::vector<std::string> paths;
  GenerateOptions generate;
  ObserveOptions observe;
  DecodeBytesOptions bytes;
  CompileCasesOptions compiles;
  CheckGraphsOptions graphs;
  RecompilesOptions recompiles;
};

void addSmallCommands(CLI::App& application, SmallOptions& options, Command& command) {
  CLI::App* backends = application.add_subcommand("backends", "What can be tested here, and why something cannot");
  backends->add_flag("--json", options.json, "Print a JSON list on standard output; see docs/json.md");
  backends->footer(
      "What `pre_dispatch_eager` makes of a Graph is shown by\n"
      "  touchstone dump case.py --backend pre_dispatch_eager --stage pre_dispatch");
  pool::addProfileFlags(*backends, options.profile, pool::ProfileScope::kJudging);
  backends->callback([&] {
    command = [&] {
      std::vector<std::string> names;
      return listBackends(options.json, options.profile.read(names));
    };
  });

  CLI::App* operators = application.add_subcommand("ops", "The catalogue of operators and how often Cases use them");
  operators->add_flag("--json", options.json, "Print a JSON list on standard output; see docs/json.md");
  operators->add_option("--seed", options.seed, "Seed of the Cases that are counted")->check(notNegative());
  operators->add_option("--cases", options.cases, "Generate so many Cases and count; 0: only list")
      ->capture_default_str();
  operators->callback([&] { command = [&] { return listOperators(options.json, options.seed, options.cases); }; });

  CLI::App* printing = application.add_subcommand("print", "Case files as Touchstone prints them, whole or short");
  printing->add_option("cases", options.paths, "Case files, or folders of them")->required();
  printing->add_flag("--rewrite", options.rewrite, "Write the form back into the files, `__main__` part included");
  printing->add_flag(
      "--short", options.shortForm,
      "Leave out `data` and the `__main__` part: what remains is the same Case to Touchstone, and to read");
  printing->footer(
      "Python runs the whole form alone. The files of corpus/ are kept in the short one.\n"
      "\nExamples:\n"
      "  touchstone print short.py > whole.py && python whole.py\n"
      "  touchstone print --short --rewrite corpus");
  printing->callback([&] {
    command = [&] {
      return printCases(options.paths, options.rewrite,
                        options.shortForm ? language::CaseForm::kShort : language::CaseForm::kWhole);
    };
  });

  CLI::App* generating = application.add_subcommand("generate", "Writes Cases of a campaign as files");
  generating->add_option("--seed", options.generate.seed, "Seed of the campaign")
      ->check(notNegative())
      ->capture_default_str();
  generating->add_option("--start", options.generate.start, "Index of the first Case")
      ->check(notNegative())
      ->capture_default_str();
  generating->add_option("--cases", options.generate.cases, "How many")->capture_default_str();
  generating->add_option("--out,-o", options.generate.output, "Folder; `-`: standard output")->capture_default_str();
  generating->add_option("--calls", options.generate.calls, "As of `touchstone fuzz`")
      ->check(CLI::Range(2, decoder::kMaximumSameCalls))
      ->capture_default_str();
  pool::addProfileFlags(*generating, options.generateProfile, pool::ProfileScope::kEverything);
  generating->footer(
      "These are the Cases of `touchstone fuzz` with the same --seed, --calls and profile.\n\nExample:\n"
      "  touchstone generate --seed 7 --cases 20 --calls 22 --out cases");
  generating->callback([&] {
    command = [&] {
      std::vector<std::string> names;
      options.generate.profile = options.generateProfile.read(names);
      return generateCases(options.generate);
    };
  });

  CLI::App* recompiling =
      application.add_subcommand("recompiles", "Why backends compile call sequences anew, as JSON lines");
  recompiling->add_option("--seed", options.recompiles.seed, "Seed of the campaign")
      ->check(notNegative())
      ->capture_default_str();
  recompiling->add_option("--start", options.recompiles.start, "Index of the first Case")
      ->check(notNegative())
      ->capture_default_str();
  recompiling->add_option("--cases", options.recompiles.cases, "How many sequences")->capture_default_str();
  recompiling->add_option("--jobs,-j", options.recompiles.workers, "Worker processes (for each family of backends)")
      ->check(CLI::Range(1, 256));
  recompiling->add_option("--backends,-b", options.recompiles.backends, "Separated by commas")->delimiter(',');
  recompiling->add_flag("--with-cases", options.recompiles.wantCases, "Print the Cases, too");
  recompiling->footer(
      "The Cases are those of `touchstone fuzz --sequences`; docs/json.md describes a line. "
      "tests/python/compare_recompiles.py sorts the differences\n"
      "between two backends into the classes of docs/guards.md.");
  recompiling->callback([&] {
    command = [&] {
      options.recompiles.backends = withoutRepeats(options.recompiles.backends);
      return listRecompiles(options.recompiles);
    };
  });

  CLI::App* observing = application.add_subcommand("observe", "Cases as files, and what eager does in them");
  observing->group(""); // for tests: not in the list of commands
  observing->add_option("files", options.observe.paths, "Case files, or folders of them, instead of generated ones");
  observing->add_option("--seed", options.observe.seed)->check(notNegative())->capture_default_str();
  observing->add_option("--start", options.observe.start, "Index of the first Case")
      ->check(notNegative())
      ->capture_default_str();
  observing->add_option("--cases", options.observe.cases)->capture_default_str();
  observing->add_option("--out,-o", options.observe.output, "Folder")->required();
  observing->callback([&] { command = [&] { return observeCases(options.observe); }; });

  CLI::App* decoding = application.add_subcommand("decode-bytes", "Random byte strings as Cases; does memory grow?");
  decoding->group(""); // for tests
  decoding->add_option("--seed", options.bytes.seed)->check(notNegative())->capture_default_str();
  decoding->add_option("--start", options.bytes.start, "Number of the first string")
      ->check(notNegative())
      ->capture_default_str();
  decoding->add_option("--strings", options.bytes.strings)->capture_default_str();
  decoding->add_option("--warm-up", options.bytes.warmUp, "Memory is compared from here on")->capture_default_str();
  decoding->add_option("--max-growth", options.bytes.maximumGrowth, "Exit 5 when the memory grows by so many MB")
      ->capture_default_str();
  decoding->callback([&] { command = [&] { return decodeBytes(options.bytes); }; });

  CLI::App* checking =
      application.add_subcommand("check-graphs", "Are Graphs of random Cases printed, drawn, written and read?");
  checking->group(""); // for tests
  checking->add_option("--check", options.graphs.check, "files: written and read; texts: printed and drawn")
      ->check(CLI::IsMember({"files", "texts"}))
      ->capture_default_str();
  checking->add_option("--seed", options.graphs.seed)->check(notNegative())->capture_default_str();
  checking->add_option("--start", options.graphs.start, "Index of the first Case")
      ->check(notNegative())
      ->capture_default_str();
  checking->add_option("--cases", options.graphs.cases)->capture_default_str();
  checking->add_option("--jobs,-j", options.graphs.workers, "Worker processes")->check(CLI::Range(1, 256));
  checking->add_option("--backends,-b", options.graphs.backends, "Native ones; of `files` one, an AOT pipeline")
      ->delimiter(',');
  checking->add_option("--out,-o", options.graphs.output, "Folder for the Graphs as Python files, with `texts`");
  checking->callback([&] { command = [&] { return checkGraphsOfCases(options.graphs); }; });

  CLI::App* compiling =
      application.add_subcommand("compile-cases", "Compiles Cases in this process; does memory grow?");
  compiling->group(""); // for tests
  compiling->add_option("--seed", options.compiles.seed)->check(notNegative())->capture_default_str();
  compiling->add_option("--start", options.compiles.start, "Index of the first Case")
      ->check(notNegative())
      ->capture_default_str();
  compiling->add_option("--cases", options.compiles.cases)->capture_default_str();
  compiling->add_option("--backend", options.compiles.backend, "A native one")->capture_default_str();
  compiling->add_option("--warm-up", options.compiles.warmUp, "Memory is compared from here on")->capture_default_str();
  compiling->add_option("--max-growth", options.compiles.maximumGrowth, "Exit 5 when the memory grows by so many MB")
      ->capture_default_str();
  compiling->callback([&] { command = [&] { return compileCases(options.compiles); }; });
}

base::ExitStatus runCommand(const Command& command) {
  try {
    return command();
  } catch (const pool::WorkerUnavailable& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return base::ExitStatus::kUnavailable;
  } catch (const worker::ProfileUnavailable& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return base::ExitStatus::kUnavailable;
  } catch (const ir::GraphvizUnavailable& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return base::ExitStatus::kUnavailable;
  } catch (const base::Interrupted&) {
    std::fputs("Interrupted.\n", stderr);
    return base::ExitStatus::kInterrupted;
  } catch (const parser::ParseError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return base::ExitStatus::kWrongUse;
  } catch (const base::WrongUse& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return base::ExitStatus::kWrongUse;
  } catch (const std::invalid_argument& error) { // names of backends, mostly
    std::fprintf(stderr, "%s\n", error.what());
    return base::ExitStatus::kWrongUse;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "Touchstone failed: %s\n", error.what());
    return base::ExitStatus::kFailed;
  }
}

bool isUnknownCommand(const CLI::App& application, const std::string& name) {
  const auto hasName = [&](const CLI::App* command) { return command->get_name() == name; };
  return !name.empty() && name[0] != '-' && application.get_subcommands(hasName).empty();
}

/// The message for a command that does not exist.
std::string unknownCommandText(const CLI::App& application, const std::string& name) {
  const auto isShown = [](const CLI::App* command) { return !command->get_group().empty(); };
  const std::vector<const CLI::App*> commands = application.get_subcommands(isShown);
  std::vector<std::string> names;
  size_t width = 0;
  for (const CLI::App* command : commands) {
    names.push_back(command->get_name());
    width = std::max(width, names.back().size());
  }
  std::string text =
      fmt::format("There is no command `{}`.{} These are the commands:\n", name, base::didYouMean(name, names));
  for (const CLI::App* command : commands) {
    text += fmt::format("  {:{}}  {}\n", command->get_name(), width, command->get_description());
  }
  return text + "Run with --help for more.\n";
}

} // namespace

int runCommandLine(int count, char** arguments) {
  if (count >= 2 && std::string(arguments[1]) == "worker") {
    return worker::runWorker(worker::nativeFamily(), count - 1, arguments + 1);
  }
  native::registerNativeBackends();
  CLI::App application(kDescription, "touchstone");
  application.require_subcommand(1);
  Command command;
  campaign::FuzzOptions fuzzOptions;
  RunOptions runOptions;
  ReduceOptions reduceOptions;
  ProbeOptions probeOptions;
  pool::ProfileFlags fuzzProfile, runProfile, reduceProfile, probeProfile;
  StageCommandOptions stageOptions;
  StoreCommandOptions storeOptions;
  ExportOptions exportOptions;
  KnownCommandOptions knownOptions;
  SmallOptions smallOptions;
  DiffOptions diffOptions;
  addFuzz(application, fuzzOptions, fuzzProfile, command);
  addRun(application, runOptions, runProfile, command);
  addReduce(application, reduceOptions, reduceProfile, command);
  addDiff(application, diffOptions, command);
  addProbe(application, probeOptions, probeProfile, command);
  addStageCommands(application, stageOptions, command);
  addStoreCommands(application, storeOptions, command);
  addExport(application, exportOptions, command);
  addKnownCommands(application, knownOptions, command);
  addSmallCommands(application, smallOptions, command);
  application.footer(kExamples); // after the commands, which inherit what is there
  try {
    application.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    const std::string first = count >= 2 ? arguments[1] : "";
    if (error.get_exit_code() != 0 && isUnknownCommand(application, first)) {
      std::fputs(unknownCommandText(application, first).c_str(), stderr);
      return static_cast<int>(base::ExitStatus::kWrongUse);
    }
    return application.exit(error) == 0 ? 0 : static_cast<int>(base::ExitStatus::kWrongUse);
  }
  base::catchInterrupts();
  return static_cast<int>(runCommand(command));
}

} // namespace touchstone::commands
