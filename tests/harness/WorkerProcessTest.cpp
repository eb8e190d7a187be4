#include "harness/pool/WorkerProcess.h"

#include "harness/report/Report.h"
#include "harness/worker/Handshake.h"
#include "tests/harness/BinaryRun.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::tests {

namespace {

// A worker written in shell: greets, then does what `body` says; $1 and $2 are the descriptors.
std::vector<std::string> shellWorker(const TemporaryFolder& folder, const std::string& body) {
  return {"/bin/bash", folder.file("worker.sh", "eval \"exec 3<&$1 4>&$2\"\n" + body)};
}

const std::string kGreet = "echo '" + worker::handshakeLine("") + "' >&4\n";
// Answers each job of a batch with its id.
const std::string kAnswer =
    "while read -r line <&3; do\n"
    "  for id in $(grep -oE '\"id\":[0-9]+' <<<\"$line\" | cut -d: -f2); do echo "
    "\"{\\\"id\\\":$id,\\\"backends\\\":[]}\" >&4; done\n"
    "done\n";

worker::Batch batchOf(std::vector<uint64_t> ids) {
  worker::Batch batch;
  for (uint64_t id : ids) {
    batch.jobs.emplace_back().id = id;
  }
  return batch;
}

std::vector<worker::JobResult> receiveAll(pool::WorkerProcess& worker) {
  std::vector<worker::JobResult> results;
  for (int round = 0; !worker.isIdle() && round < 200; ++round) {
    pollfd waited{worker.descriptor(), POLLIN, 0};
    poll(&waited, 1, 50);
    for (worker::JobResult& result : worker.receive()) {
      results.push_back(std::move(result));
    }
  }
  return results;
}

} // namespace

TEST(WorkerProcessTest, BatchesLargerThanAPipeGoThrough) {
  const TemporaryFolder folder("worker_large");
  pool::WorkerProcess worker(shellWorker(folder, kGreet + kAnswer));
  worker::Batch batch;
  for (uint64_t id = 1; id <= 40; ++id) {
    batch.jobs.emplace_back().id = id;
    batch.jobs.back().source = worker::PrintedCase{std::string(10000, 'x')};
  }
  worker.send(batch);
  for (worker::Job& job : batch.jobs) {
    job.id += 100;
  }
  worker.send(batch);
  EXPECT_EQ(receiveAll(worker).size(), 80u);
  EXPECT_TRUE(worker.isIdle());
}

TEST(WorkerProcessTest, AWorkerThatDiesIsStartedAgainAndItsJobsAreSentOnceMore) {
  const TemporaryFolder folder("worker_dies");
  const std::string marker = folder.path() / "died";
  pool::WorkerProcess worker(shellWorker(folder, kGreet + "if [ ! -e " + marker + " ]; then read -r line <&3; touch " +
                                                     marker + "; kill -9 $$; fi\n" + kAnswer));
  worker.send(batchOf({1, 2, 3}));
  const std::vector<worker::JobResult> results = receiveAll(worker);
  ASSERT_EQ(results.size(), 3u);
  for (const worker::JobResult& result : results) {
    EXPECT_EQ(result.error, "");
  }
}

TEST(WorkerProcessTest, AJobThatKillsItsWorkerEachTimeIsReportedAndTheOthersGoOn) {
  const TemporaryFolder folder("worker_always");
  pool::WorkerProcess worker(
      shellWorker(folder, kGreet + "while read -r line <&3; do case \"$line\" in *'\"id\":2'*) kill -9 $$;; esac; "
                                   "id=$(grep -oE '\"id\":[0-9]+' <<<\"$line\" | cut -d: -f2 | head -1); "
                                   "echo \"{\\\"id\\\":$id,\\\"backends\\\":[]}\" >&4; done\n"));
  worker.send(batchOf({2}));
  worker.send(batchOf({3}));
  worker.send(batchOf({4}));
  std::map<uint64_t, std::string> errors;
  for (const worker::JobResult& result : receiveAll(worker)) {
    errors[result.id] = result.error;
  }
  ASSERT_EQ(errors.size(), 3u);
  EXPECT_NE(errors[2].find("died twice"), std::string::npos) << errors[2];
  EXPECT_EQ(errors[3], "");
  EXPECT_EQ(errors[4], "");
}

TEST(WorkerProcessTest, AWorkerThatCannotWorkHereSaysWhy) {
  const TemporaryFolder folder("worker_cannot");
  const auto complaint = [&](std::vector<std::string> arguments) -> std::string {
    pool::WorkerProcess worker(std::move(arguments));
    worker.send(batchOf({1}));
    try {
      receiveAll(worker);
      return "";
    } catch (const pool::WorkerUnavailable& error) {
      return error.what();
    }
  };
  EXPECT_EQ(complaint(shellWorker(folder, "echo '" + worker::handshakeLine("Install this.") + "' >&4\n")),
            "Install this.");
  EXPECT_NE(complaint({"/no/such/worker"}).find("/no/such/worker"), std::string::npos);
  EXPECT_NE(complaint(shellWorker(folder, "exit 7\n")).find("ended while it started"), std::string::npos);
  const std::string lines = worker::preparationLine("first") + "\\n" + worker::preparationLine("second") + "\\n";
  EXPECT_NE(complaint(shellWorker(folder, "printf '" + lines + "' >&4\n")).find("prepared the backend `second`"),
            std::string::npos);
  EXPECT_NE(complaint(shellWorker(folder, "echo hello >&4\n")).find("no handshake"), std::string::npos);
}

TEST(WorkerProcessTest, AWorkerOfAnotherVersionIsRefused) {
  EXPECT_EQ(worker::readHandshake(worker::handshakeLine("")).trouble, "");
  EXPECT_EQ(worker::readHandshake(worker::handshakeLine("")).torch, report::torchVersion());
  const std::string before = "speaks protocol 0";
  EXPECT_NE(worker::readHandshake("touchstone worker ready").trouble.find(before), std::string::npos);
  const std::string later = "touchstone worker ready, protocol 1000, torch 9.9.9";
  EXPECT_NE(worker::readHandshake(later).trouble.find("speaks protocol 1000"), std::string::npos);
}

} // namespace touchstone::tests
