#include "harness/commands/StageCommands.h"

namespace touchstone::commands {

namespace {

void addDump(CLI::App& application, DumpOptions& options, Command& command) {
  CLI::App* dumping =
      application.add_subcommand("dump", "What the native pipeline makes of a Case, stage by stage, as readable code");
  dumping->add_option("case", options.path, "Case file")->required();
  dumping->add_option("--stage,-s", options.stage, "One of the stages below; default: all, in their order")
      ->check(CLI::IsMember(stageNames()));
  dumping->add_option("--call", options.call, "Which entry of CALLS, counted from 0")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  dumping->add_option("--backend,-b", options.backend, "A native backend")->capture_default_str();
  dumping->add_option(
      "--device", options.device,
      "Compile as though the arguments were there, `cuda:0` say; traced without values, so there need not "
      "be one, and nothing runs");
  dumping->add_flag(
      "--readable,!--python", options.readable,
      "As readable code, a line an operator, with dtype, sizes and strides: so it is anyway. With --python as a "
      "module that PyTorch alone runs: the constants are written out");
  dumping->add_option(
      "--graphs", options.graphs,
      "Write the joint, forward and backward Graph of each compile into a folder of its own in this folder, "
      "NAME_0, NAME_1, …, which `touchstone run` and plain Python run again; see docs/graph_files.md");
  dumping->add_option("--name", options.graphsName, "NAME of these folders")->capture_default_str();
  dumping->add_flag("--inputs", options.inputs,
                    "Keep in them what each Graph is given, and what it gives; the call is made with its backward");
  dumping->add_option("--svg", options.svg, "Draw the stage into this file instead of printing it; needs Graphviz");
  dumping->add_option("--dot", options.dot, "The same as text for Graphviz, which need not be on this machine");
  addLimits(*dumping, options.limits);
  dumping->add_flag("--json", options.json, "Print one JSON object on standard output; see docs/json.md");
  dumping->footer(
      "Stages:\n" + stageExplanations() +
      "\nA call is compiled for its exact arguments, so each call whose arguments are laid out or aliased\n"
      "otherwise may show other code. The calls before it run eagerly first. Exit status: 1 when the backend\n"
      "fails where eager does not; 4 when the Program raises or the backend says that it cannot take it.\n"
      "\nExamples:\n"
      "  touchstone dump corpus/edge_classes/38_mutation_and_view_output.py\n"
      "  touchstone dump case.py --stage functional --call 1\n"
      "  touchstone dump case.py --stage functional --svg graph.svg    forward and backward side by side\n"
      "  touchstone dump case.py --stage forward --python > forward.py\n"
      "  touchstone dump case.py --graphs dumped --inputs && touchstone run dumped/graphs_0\n"
      "  touchstone dump case.py --stage joint --device cuda:0         what a GPU would get");
  dumping->callback([&] { command = [&] { return dumpStages(options); }; });
}

void addTwin(CLI::App& application, TwinOptions& options, Command& command) {
  CLI::App* twin = application.add_subcommand(
      "twin",
      "The native pipeline's Graphs beside the installed PyTorch's: do both compute the same, and save the same?");
  twin->add_option("files", options.paths, "Case files and folders; none: generated Cases");
  twin->add_option("--cases", options.cases, "Generate so many")->check(aboveZero())->capture_default_str();
  twin->add_option("--seed", options.seed, "Seed of the generated Cases")->check(notNegative())->capture_default_str();
  twin->add_option("--start", options.start, "Index of the first generated Case")
      ->check(notNegative())
      ->capture_default_str();
  twin->add_option("--jobs,-j", options.workers, "Worker processes")->check(CLI::Range(1, 256))->capture_default_str();
  twin->add_option("--write-cases", options.writeCases, "Folder for the Cases that disagree, one file each");
  addLimits(*twin, options.limits);
  twin->add_flag("--json", options.json, "Print one JSON object on standard output; see docs/json.md");
  twin->footer(
      "The first call of each Case that is right under torch:aot_eager is compiled by both pipelines. Compared are, "
      "for\n"
      "each captured graph: what is said of inputs and outputs, what they hold in the end, the gradients, and what is "
      "saved\n"
      "for the backward. The graphs are compared in a normal form in which names, order, views, copies, repeated "
      "expressions\n"
      "and dead code leave no trace. docs/twin.md explains the classes of disagreement.\n"
      "The partitions of torch:aot_eager are also held against the laws of a partition: forward and backward compute "
      "what\n"
      "the joint graph does, and neither writes to what is saved, moves a write or draws twice.\n"
      "Exit status: 1 when some disagree or break a law; 4 when nothing could be compared.\n"
      "\nExamples:\n"
      "  touchstone twin case.py\n"
      "  touchstone twin --cases 5000 --seed 1 --jobs 2");
  twin->callback([&] { command = [&] { return compareTwinCases(options); }; });
}

void addExplain(CLI::App& application, ExplainOptions& options, Command& command) {
  CLI::App* explaining = application.add_subcommand(
      "explain", "How a Case is captured: graphs, breaks with their reasons, operations, guards, recompiles, times");
  explaining->add_option("case", options.path, "Case file")->required();
  explaining->add_option("--call", options.call, "Which entry of CALLS, counted from 0; those before it run eagerly")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  explaining
      ->add_option("--backend,-b", options.backend,
                   "The compiler of the graphs; one of the installed PyTorch tells less")
      ->capture_default_str();
  addLimits(*explaining, options.limits);
  explaining->add_flag("--json", options.json, "Print one JSON object on standard output; see docs/json.md");
  explaining->footer(
      "Graphs, breaks, guards and times are those of the one call, captured anew; the recompiles are those of all\n"
      "calls with one compiled program. A line of a user stack is followed by what stands there, outermost first.\n"
      "Of a backend of the installed PyTorch operations are counted, not listed, and breaks have no stacks.\n"
      "\nExample:\n"
      "  touchstone explain corpus/features/graph_break.py");
  explaining->callback([&] { command = [&] { return explainCase(options); }; });
}

void addCompareDevices(CLI::App& application, CompareDevicesOptions& options, Command& command) {
  CLI::App* comparing = application.add_subcommand(
      "compare-devices", "Are the Graphs for an accelerator those for the CPU? Needs no accelerator");
  comparing->add_option("cases", options.paths, "Case files, or folders of them")->required();
  comparing->add_option("--device,-d", options.device, "Where the tensors are claimed to be")->capture_default_str();
  comparing->add_option("--backend,-b", options.backend, "A native AOT pipeline")->capture_default_str();
  comparing->add_option("--stage,-s", options.stage, "Whose Graphs are compared")
      ->check(CLI::IsMember(stageNames()))
      ->capture_default_str();
  comparing->add_flag("--json", options.json, "Print one JSON object on standard output; see docs/json.md");
  comparing->footer(
      "Each call's program is traced without values, once as it is and once as though its tensors were on the device.\n"
      "Where libtorch is known to choose other operators there, the choice is named; anything else that differs is "
      "told,\n"
      "and the exit status is 1. docs/cuda.md says what this can show and what it cannot.\n"
      "\nExample:\n"
      "  touchstone compare-devices corpus/edge_classes");
  comparing->callback([&] { command = [&] { return compareDevices(options); }; });
}

void addLadder(CLI::App& application, LadderOptions& options, pool::ProfileFlags& profile, Command& command) {
  CLI::App* climbing = application.add_subcommand(
      "ladder", "Judges a Case under every pipeline, weakest first: from which one on does it differ?");
  climbing->add_option("case", options.path, "Case file")->required();
  climbing->add_option("--family", options.family, "Only the pipelines of this family")
      ->check(CLI::IsMember({"native", "torch"}));
  addLimits(*climbing, options.limits);
  pool::addProfileFlags(*climbing, profile, pool::ProfileScope::kJudging);
  climbing->add_flag("--json", options.json, "Print one JSON object on standard output; see docs/json.md");
  climbing->footer(
      "Each rung is judged in full against eager, and the line says what it adds to the one before it: the stage that\n"
      "is to blame when it is the first to differ. The first is the lowest rung from which on all show the symptom of\n"
      "the strongest one that could be judged; a weaker rung that differs otherwise, or below one that agrees, is\n"
      "marked as differing for a reason of its own. With a profile whose backend is no rung, the ladder of its family\n"
      "ends with that backend. A finding is judged with the profile beside it, where that names no code and --profile\n"
      "no other.\n"
      "Below a rung of the installed PyTorch that is the first to differ, its graphs are run by themselves on what "
      "its\n"
      "compiled code was given: joint graph, partition, and what was compiled of forward and backward. The first that\n"
      "does not hold is named, and so is what could not be judged.\n"
      "Exit status: 0 when no rung differs; 1 when some rung differs; 2 for wrong use or an unreadable file; 3 when\n"
      "this machine lacks what was asked for; 4 when no rung could be judged; 5 when Touchstone itself failed.\n"
      "\nExample:\n"
      "  touchstone ladder case.py --family native");
  climbing->callback([&] {
    command = [&] {
      std::vector<std::string> names;
      options.profile = profile.orStoredBeside({options.path}, {}).read(names);
      return climbLadder(options);
    };
  });
}

void addBisect(CLI::App& application, BisectOptions& options, pool::ProfileFlags& profile, Command& command) {
  CLI::App* bisecting = application.add_subcommand(
      "bisect", "The pipeline, its pass, and the application of the pass that make a Case differ");
  bisecting->add_option("case", options.path, "Case file")->required();
  bisecting->add_option(
      "--backend,-b", options.backend,
      "The end of the ladder; by default the profile's, else the backend of a finding, of another Case "
      "aot_eager");
  addLimits(*bisecting, options.limits);
  pool::addProfileFlags(*bisecting, profile, pool::ProfileScope::kJudging);
  bisecting->add_flag("--json", options.json, "Print one JSON object on standard output; see docs/json.md");
  bisecting->footer(
      "Climbs the ladder up to the backend, and switches off the passes of the first native pipeline that differs as\n"
      "the backend does, one after the other. The applications of a pass are numbered; halving finds the first that\n"
      "makes the difference. A finding is judged with the profile beside it, where that names no code and --profile\n"
      "no other.\n"
      "Exit status: 0 when no rung differs; 1 when some rung differs; 2 for wrong use or an unreadable file; 3 when\n"
      "this machine lacks what was asked for; 4 when the backend could not be judged; 5 when Touchstone itself "
      "failed.\n"
      "\n"
      "Passes that can be switched off:\n"
      "  decompositions  of aot_eager_decomp_partition: a call is replaced by simpler operators\n"
      "  dead_code       of the AOT pipelines: a node that nothing reads is left out\n"
      "  cse             of aot_eager: a repeated expression is merged with the first\n"
      "  recomputation   of aot_eager: what the default partition saves is computed again in the backward\n"
      "  saved_values    of the AOT pipelines that cut: a value that the backward reads is saved by the forward\n"
      "                  instead of made again\n"
      "  relu_to_add     of relu_accuracy_error_TESTING_ONLY: a relu becomes an addition, the planted fault\n"
      "\nExample:\n"
      "  touchstone bisect case.py --backend aot_eager");
  bisecting->callback([&] {
    command = [&] {
      std::vector<std::string> names;
      if (!options.backend.empty()) {
        names.push_back(options.backend);
      }
      const pool::ProfileFlags flags = profile.orStoredBeside({options.path}, names);
      options.profile = flags.read(names);
      // One that nobody named does not say which backend it is to be: the finding does.
      const bool isNamed = flags.file == profile.file;
      options.backend = options.backend.empty() && isNamed && !names.empty() ? names[0] : options.backend;
      return bisectCase(options);
    };
  });
}

} // namespace

void addStageCommands(CLI::App& application, StageCommandOptions& options, Command& command) {
  addDump(application, options.dump, command);
  addExplain(application, options.explain, command);
  addCompareDevices(application, options.compareDevices, command);
  addLadder(application, options.ladder, options.ladderProfile, command);
  addTwin(application, options.twin, command);
  addBisect(application, options.bisect, options.bisectProfile, command);
}

} // namespace touchstone::commands
