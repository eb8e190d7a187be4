#include "harness/worker/ForkServer.h"
#include "harness/worker/Progress.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <new>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace touchstone::tests {

namespace {

using language::Outcome;

bool isMessy = false; // of a process

void doAs(const std::string& what) {
  static const std::map<std::string, std::function<void()>> kDeeds{
      {"fine", [] {}},
      {"differs", [] {}},
      {"abort",
       [] {
         std::fputs("last words\n", stderr);
         std::abort();
       }},
      {"abort elsewhere", [] { std::abort(); }},
      {"segfault", [] { raise(SIGSEGV); }},
      {"exit", [] { _exit(3); }},
      {"exit politely", [] { _exit(0); }},
      {"hang",
       [] {
         for (volatile bool ever = true; ever;) {
         }
       }},
      {"sleep", [] { pause(); }},
      {"eat memory",
       [] {
         std::vector<char*> kept;
         while (true) {
           kept.push_back(new char[8 << 20]);
           for (size_t i = 0; i < (8 << 20); i += 4096) {
             kept.back()[i] = 1;
           }
         }
       }},
      {"killed", [] { raise(SIGKILL); }},
      {"throw", [] { throw std::runtime_error("thrown on purpose"); }},
      {"leave a mess", [] { isMessy = true; }},
      {"trip",
       [] {
         if (isMessy) {
           throw std::runtime_error("it is messy here");
         }
       }},
      {"print", [] { std::puts("a Program that prints must not disturb the results"); }},
  };
  kDeeds.at(what)();
}

// A job's Case text names what happens while eager runs, each backend's name what happens under it; a backend `a over b`
// asks a rung b.
worker::JobResult fakeRun(const worker::Job& job) {
  const std::string& text = std::get<worker::PrintedCase>(job.source).text;
  worker::JobResult result;
  worker::Progress& progress = worker::currentProgress();
  result.facts.calls = getpid();
  if (job.wantCase) {
    result.caseText = text;
  }
  if (std::holds_alternative<worker::MakeTask>(job.task)) {
    return result;
  }
  progress.enter("eager", 1, "forward");
  doAs(text);
  for (const std::string& name : job.backends) {
    progress.beginBackend(name == "abort elsewhere" ? "another one" : name);
    progress.enter("run", 2, "backward");
    worker::BackendResult& backend = result.backends.emplace_back();
    backend.backend = name;
    const size_t over = name.find(" over ");
    doAs(name.substr(0, over));
    if (name == "differs") {
      backend.outcome = Outcome::kDiffers;
      backend.symptom = "Differs/values/output 3";
      backend.origin = name;
      backend.baseOutcome = text == "print" ? "Differs/values" : "Agreed";
    }
    if (over != std::string::npos) {
      const std::string rung = name.substr(over + 6);
      if (std::find(job.withoutRungs.begin(), job.withoutRungs.end(), rung) == job.withoutRungs.end()) {
        progress.beginRung(rung);
        doAs(rung);
        backend.origin = rung;
      } else {
        backend.origin = name;
      }
    }
  }
  return result;
}

std::vector<worker::JobResult> serve(const std::vector<worker::Job>& jobs,
                                     worker::JobLimits limits = {0.3, 0.3, 256 << 20, 2}) {
  int in[2], out[2];
  EXPECT_EQ(pipe(in), 0);
  EXPECT_EQ(pipe(out), 0);
  const pid_t server = fork();
  if (server == 0) {
    close(in[1]);
    close(out[0]);
    _exit(worker::serveJobs(in[0], out[1], fakeRun));
  }
  close(in[0]);
  close(out[1]);
  const std::string text = worker::batchLine({limits, jobs}) + "\n";
  EXPECT_EQ(write(in[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  close(in[1]);
  std::string answer;
  char bytes[4096];
  for (ssize_t count; (count = read(out[0], bytes, sizeof(bytes))) > 0;) {
    answer.append(bytes, static_cast<size_t>(count));
  }
  close(out[0]);
  int status = -1;
  waitpid(server, &status, 0);
  EXPECT_EQ(status, 0);
  std::vector<worker::JobResult> results;
  std::istringstream lines(answer);
  for (std::string line; std::getline(lines, line);) {
    results.push_back(worker::resultFromLine(line));
  }
  return results;
}

worker::Job job(uint64_t id, std::string text, std::vector<std::string> backends = {"fine"}) {
  worker::Job result;
  result.id = id;
  result.source = worker::PrintedCase{std::move(text)};
  result.backends = std::move(backends);
  return result;
}

} // namespace

TEST(ForkServerTest, AJobThatDiesUnderABackendOfItsOwnEnds) {
  const std::vector<worker::JobResult> results = serve({job(1, "fine", {"abort elsewhere", "fine"}), job(2, "fine")});
  ASSERT_EQ(results.size(), 2u);
  ASSERT_EQ(results[0].backends.size(), 1u);
  EXPECT_EQ(results[0].backends[0].backend, "another one");
  EXPECT_EQ(results[0].backends[0].outcome, Outcome::kCrashed);
  EXPECT_EQ(results[1].backends[0].outcome, Outcome::kAgreed);
}

TEST(ForkServerTest, EachJobIsReportedOnceAndInOrderWhateverTheOthersDo) {
  std::vector<worker::Job> jobs;
  for (const char* what : {"fine", "abort", "fine", "segfault", "exit", "fine", "exit politely", "killed", "eat memory",
                           "throw", "hang", "sleep", "print", "fine"}) {
    jobs.push_back(job(jobs.size() + 100, "fine", {what}));
  }
  const std::vector<worker::JobResult> results = serve(jobs);
  ASSERT_EQ(results.size(), jobs.size());
  const std::map<std::string, Outcome> expected{{"abort", Outcome::kCrashed},  {"segfault", Outcome::kCrashed},
                                                {"exit", Outcome::kCrashed},   {"exit politely", Outcome::kCrashed},
                                                {"killed", Outcome::kCrashed}, {"eat memory", Outcome::kOutOfMemory},
                                                {"hang", Outcome::kTimedOut},  {"sleep", Outcome::kTimedOut}};
  for (size_t i = 0; i < jobs.size(); ++i) {
    EXPECT_EQ(results[i].id, jobs[i].id);
    const std::string& what = jobs[i].backends[0];
    if (what == "throw") {
      EXPECT_EQ(results[i].error, "thrown on purpose");
      continue;
    }
    ASSERT_EQ(results[i].backends.size(), 1u) << what;
    const auto found = expected.find(what);
    const worker::BackendResult& backend = results[i].backends[0];
    EXPECT_EQ(backend.outcome, found == expected.end() ? Outcome::kAgreed : found->second) << what;
    if (found != expected.end()) {
      EXPECT_EQ(backend.detail, "call 2 backward") << what;
      EXPECT_EQ(backend.origin, what);
      EXPECT_EQ(results[i].caseText, "fine") << "a finding without its Case: " << what;
    }
  }
  EXPECT_EQ(results[1].backends[0].symptom, "Crashed/SIGABRT/backward");
  EXPECT_NE(results[1].backends[0].message.find("last words"), std::string::npos) << results[1].backends[0].message;
  EXPECT_EQ(results[4].backends[0].symptom, "Crashed/exit 3/backward");
}

TEST(ForkServerTest, ADeathInEagerIsNoFindingOfABackend) {
  const std::vector<worker::JobResult> results =
      serve({job(1, "segfault", {"fine", "print"}), job(2, "hang", {"fine"}), job(3, "fine")});
  ASSERT_EQ(results.size(), 3u);
  ASSERT_EQ(results[0].backends.size(), 2u);
  for (const worker::BackendResult& backend : results[0].backends) {
    EXPECT_EQ(backend.outcome, Outcome::kEagerCrashed);
    EXPECT_EQ(backend.detail, "call 1 forward");
    EXPECT_EQ(backend.origin, "");
  }
  EXPECT_EQ(results[0].caseText, "segfault");
  EXPECT_EQ(results[1].backends.at(0).outcome, Outcome::kEagerTimedOut);
  EXPECT_EQ(results[2].backends.at(0).outcome, Outcome::kAgreed);
}

TEST(ForkServerTest, TheOtherBackendsOfAJobAreJudgedAllTheSame) {
  const std::vector<worker::JobResult> results =
      serve({job(1, "fine", {"fine", "abort", "print", "segfault", "fine"})});
  ASSERT_EQ(results.size(), 1u);
  std::vector<std::string> names;
  std::vector<Outcome> outcomes;
  for (const worker::BackendResult& backend : results[0].backends) {
    names.push_back(backend.backend);
    outcomes.push_back(backend.outcome);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"fine", "fine", "abort", "print", "segfault"}));
  EXPECT_EQ(outcomes, (std::vector<Outcome>{Outcome::kAgreed, Outcome::kAgreed, Outcome::kCrashed, Outcome::kAgreed,
                                            Outcome::kCrashed}));
}

TEST(ForkServerTest, ARungThatDiesIsLeftOut) {
  const std::vector<worker::JobResult> results =
      serve({job(1, "fine", {"fine over abort", "fine over print"}), job(2, "fine")});
  ASSERT_EQ(results.size(), 2u);
  ASSERT_EQ(results[0].backends.size(), 2u);
  EXPECT_EQ(results[0].backends[0].origin, "fine over abort");
  EXPECT_EQ(results[0].backends[1].origin, "print");
}

TEST(ForkServerTest, HealthyJobsOfABatchShareOneChild) {
  const std::vector<worker::JobResult> results =
      serve({job(1, "fine"), job(2, "fine"), job(3, "fine", {"abort"}), job(4, "fine")});
  ASSERT_EQ(results.size(), 4u);
  EXPECT_EQ(results[0].facts.calls, results[1].facts.calls);
  EXPECT_NE(results[1].facts.calls, results[3].facts.calls);
}

TEST(ForkServerTest, ABatchEndsWithTheFirstJobThatShowsWhatIsWanted) {
  std::vector<worker::Job> jobs{job(1, "fine", {"print"}), job(2, "print", {"differs"}), job(3, "fine", {"differs"}),
                                job(4, "fine", {"differs"}), job(5, "fine", {"abort"})};
  for (worker::Job& each : jobs) {
    each.task = worker::JudgeTask{.wanted = worker::Symptom{"differs", "Differs/values/output", "differs", "Agreed"}};
  }
  const std::vector<worker::JobResult> results = serve(jobs);
  ASSERT_EQ(results.size(), 5u);
  EXPECT_EQ(results[0].backends.size(), 1u);
  EXPECT_EQ(results[1].backends.size(), 1u); // with another outcome of its base
  EXPECT_EQ(results[2].backends.size(), 1u);
  EXPECT_TRUE(results[3].backends.empty());
  EXPECT_TRUE(results[4].backends.empty() && results[4].error.empty());
}

TEST(ForkServerTest, AJobThatRunsOutOfTimeIsTriedOnceMoreAlone) {
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<worker::JobResult> results =
      serve({job(1, "fine", {"sleep"}), job(2, "fine")}, {5, 5, 256 << 20, 0.08});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].backends.at(0).outcome, Outcome::kTimedOut);
  EXPECT_EQ(results[0].backends.at(0).symptom, "TimedOut/wall time/backward");
  EXPECT_GT(seconds.count(), 0.8); // twice the limit
  EXPECT_EQ(results[1].backends.at(0).outcome, Outcome::kAgreed);
}

TEST(ForkServerTest, AJobThatFailsAfterOthersIsTriedOnceMoreAlone) {
  const std::vector<worker::JobResult> results = serve({job(1, "fine", {"leave a mess"}), job(2, "fine", {"trip"}),
                                                        job(3, "fine", {"trip", "leave a mess"}), job(4, "fine")});
  ASSERT_EQ(results.size(), 4u);
  for (const worker::JobResult& result : results) {
    EXPECT_EQ(result.error, "") << result.id;
    ASSERT_FALSE(result.backends.empty()) << result.id;
    EXPECT_EQ(result.backends[0].outcome, Outcome::kAgreed) << result.id;
  }
}

TEST(ForkServerTest, ChildrenDieWithTheForkServer) {
  int in[2], out[2], alive[2];
  ASSERT_EQ(pipe(in), 0);
  ASSERT_EQ(pipe(out), 0);
  ASSERT_EQ(pipe(alive), 0);
  const pid_t server = fork();
  if (server == 0) {
    close(alive[0]);
    _exit(worker::serveJobs(in[0], out[1], [&](const worker::Job& job) {
      (void)!write(alive[1], "x", 1);
      return fakeRun(job);
    }));
  }
  close(alive[1]);
  const std::string text = worker::batchLine({{60, 60, 256 << 20}, {job(1, "fine", {"sleep"})}}) + "\n";
  ASSERT_EQ(write(in[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  char byte;
  ASSERT_EQ(read(alive[0], &byte, 1), 1); // the child is at work
  kill(server, SIGKILL);
  waitpid(server, nullptr, 0);
  EXPECT_EQ(read(alive[0], &byte, 1), 0); // nobody holds the other end any more
  for (int file : {in[0], in[1], out[0], out[1], alive[0]}) {
    close(file);
  }
}

} // namespace touchstone::tests
