#pragma once

#include "harness/worker/Task.h"

namespace touchstone::worker {

/// What a stage of a native pipeline made.
struct ShownStage {
  std::string name;
  int graph = 0; // of the call, counted from 0: the captured Graph that it was made of
  std::string text;
  bool operator==(const ShownStage& other) const = default;
};

struct ShowStagesResult {
  std::vector<ShownStage> stages; // in order
  std::vector<std::string> folders; // with ShowStagesTask::dump
  std::vector<std::pair<std::string, std::string>> notDumped; // the same: a part, and why it could not be written
  std::string
      drawing; // with ShowStagesTask::drawnStage: all Graphs of it as one picture, see graphDrawing(); empty: none
  bool operator==(const ShowStagesResult& other) const = default;
};
TOUCHSTONE_TRAVELS(ShowStagesResult);

/// ShowStagesTask::text: Graphs as modules that PyTorch runs; empty: as readable code.
inline constexpr const char* kRunnableText = "python";

/// A call's Graphs are written, each compile into a folder of its own; see graph_files::GraphDumper.
struct GraphDump {
  std::string parent, name;
  bool withValues = false; // the call is made with its backward
  bool operator==(const GraphDump&) const = default;
};

/// Nothing is judged: makes the calls of a printed Case before `call` eagerly, compiles for that one anew under the job's
/// backend, a native one, and prints each stage that it leaves. The result's entry for the backend says how it ended, see
/// showCall(). Stages that came before are there all the same.
struct ShowStagesTask {
  static constexpr const char* kName = "show_stages";
  static constexpr bool kNeedsBackend = true;
  using Result = ShowStagesResult;

  int call = 0;
  std::string device; // the arguments are claimed to be there; see backends/native/DeviceTrace.h
  bool capturesBackward = false; // its backward runs under compiled autograd, and is shown
  std::string drawnStage; // this one is drawn, too
  std::string text;
  std::string dynamic; // see setDynamic()
  bool metadata = false; // see ir::GraphTextOptions::showMetadata
  std::optional<GraphDump> dump;
  bool operator==(const ShowStagesTask&) const = default;
};
TOUCHSTONE_TRAVELS(ShowStagesTask);

void runTask(const ShowStagesTask& task, const Job& job, const Profile& profile, JobResult& result);

} // namespace touchstone::worker
