#include "tests/backends/AotPrograms.h"
#include "tests/backends/CallOutcome.h"

#include "backends/Registry.h"
#include "backends/native/NativeBackends.h"
#include "program/values/CompiledProgram.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <thread>

// Compiling and running on several threads at once.

namespace touchstone::tests {
namespace {

constexpr size_t kThreads = 8;

/// Twenty Programs that draw no random numbers: the default generator is one for all threads.
std::vector<AotProgram> programsForThreads() {
  const std::set<std::string> chosen = {"MutatedNonLeaf",
                                        "Select",
                                        "BranchingViews",
                                        "Diagonal",
                                        "ExpandReadAfterWrite",
                                        "FillExpanded",
                                        "Unfold",
                                        "AsStrided",
                                        "GapOfAnInput",
                                        "ViewOfOtherDtype",
                                        "Conj",
                                        "NoGradAndDetach",
                                        "Set",
                                        "OverlappingInputs",
                                        "TwoDtypesOverOneMemory",
                                        "BatchNormTraining",
                                        "ViewsOfEachOther",
                                        "TwoLevelsOfViews",
                                        "Factories",
                                        "IndexAddAndScatter"};
  std::vector<AotProgram> programs;
  for (const AotProgram& program : writingPrograms()) {
    if (chosen.count(program.name) != 0) {
      programs.push_back(program);
    }
  }
  return programs;
}

/// Runs a body on all threads, started together; rethrows what one of them throws.
void onAllThreads(const std::function<void(size_t thread)>& body) {
  std::mutex mutex;
  std::condition_variable allThere;
  size_t there = 0;
  std::vector<std::exception_ptr> errors(kThreads);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      {
        std::unique_lock<std::mutex> lock(mutex);
        ++there;
        allThere.notify_all();
        allThere.wait(lock, [&] { return there == kThreads; });
      }
      try {
        body(i);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const std::exception_ptr& error : errors) {
    if (error) {
      std::rethrow_exception(error);
    }
  }
}

TEST(AotThreadsTest, EachThreadCompilesAndRunsEveryProgram) {
  native::registerNativeBackends();
  const std::vector<AotProgram> programs = programsForThreads();
  ASSERT_EQ(programs.size(), 20u);
  std::vector<language::Case> cases;
  std::vector<CallOutcome> eager;
  for (const AotProgram& program : programs) {
    cases.push_back(caseOfProgram(program));
    eager.push_back(callProgram(cases.back(), *evaluator::eagerProgram(cases.back()), 2));
    eager.back().generator.clear();
    ASSERT_EQ(eager.back().error + eager.back().backwardError, "") << program.name;
  }
  std::vector<std::string> differences(kThreads);
  onAllThreads([&](size_t thread) {
    const auto backend = backends::makeBackend("aot_eager");
    for (size_t i = 0; i < cases.size(); ++i) {
      const size_t number = (i * 7 + thread * 3) % cases.size(); // another order on each thread
      const auto compiled = backend->compile(cases[number]);
      for (int64_t seed : {1, 2, 2}) {
        CallOutcome outcome = callProgram(cases[number], *compiled, seed);
        outcome.generator.clear();
        if (seed == 2) {
          const std::string difference = differenceOf(eager[number], outcome);
          differences[thread] += difference.empty() ? "" : std::string(programs[number].name) + ": " + difference;
        }
      }
      if (compiled->report().graphs != 1) {
        differences[thread] += std::string(programs[number].name) + ": compiled again\n";
      }
    }
  });
  EXPECT_EQ(differences, std::vector<std::string>(kThreads));
}

TEST(AotThreadsTest, OneCompiledProgramIsCalledOnSeveralThreads) {
  native::registerNativeBackends();
  const language::Case theCase = caseOfProgram(
      {"", "F(4, 4).requires_grad_() * 1", "x", "x[1].mul_(x[0])\ny = x.exp()\nreturn y[1:], y.sum(0), x.t()"});
  const auto compiled = backends::makeBackend("aot_eager")->compile(theCase);
  std::vector<CallOutcome> expected;
  for (size_t i = 0; i < kThreads; ++i) {
    expected.push_back(callProgram(theCase, *evaluator::eagerProgram(theCase), static_cast<int64_t>(i)));
    expected.back().generator.clear();
  }
  std::vector<std::string> differences(kThreads);
  onAllThreads([&](size_t thread) {
    for (int time = 0; time < 20; ++time) {
      CallOutcome outcome = callProgram(theCase, *compiled, static_cast<int64_t>(thread));
      outcome.generator.clear();
      differences[thread] += differenceOf(expected[thread], outcome);
    }
  });
  EXPECT_EQ(differences, std::vector<std::string>(kThreads));
  EXPECT_EQ(compiled->report().graphs, 1);
  EXPECT_EQ(compiled->report().compiledRuns, 20 * static_cast<int64_t>(kThreads));
}

TEST(AotThreadsTest, BackwardsOfOneFrameOnSeveralThreads) {
  // One compiled program, called on one thread; its calls' backwards run on all, with layouts of tangents not seen yet.
  native::registerNativeBackends();
  const language::Case theCase =
      caseOfProgram({"", "F(4, 4).requires_grad_()", "x", "y = x * 2\ny[1].mul_(x[0])\nreturn y.exp(), y.sum(0)"});
  const auto backend = backends::makeBackend("aot_eager");
  const auto compiled = backend->compile(theCase);
  const auto eager = evaluator::eagerProgram(theCase);
  struct Call {
    at::Tensor leaf;
    std::vector<at::Tensor> outputs;
  };
  auto call = [&](values::Callable& program) {
    evaluator::InputSet made = evaluator::Evaluator(theCase).makeInputs("inputs", 4, "uniform");
    Call result;
    result.leaf = made.arguments[0].tensor();
    values::collectTensors(program(made.arguments), result.outputs);
    return result;
  };
  std::vector<Call> calls, expected;
  for (size_t i = 0; i < kThreads; ++i) {
    calls.push_back(call(*compiled));
    expected.push_back(call(*eager));
  }
  auto backward = [](const Call& of, size_t thread) {
    const at::Tensor& root = of.outputs[thread % 2];
    at::Tensor tangent = tangentFor(root);
    if (thread % 4 >= 2 && root.dim() == 2) {
      tangent = tangent.t().contiguous().t();
    }
    torch::autograd::Engine::get_default_engine().execute({torch::autograd::impl::gradient_edge(root)}, {tangent},
                                                          false, false, true, {});
    return of.leaf.grad();
  };
  std::vector<at::Tensor> gradients(kThreads);
  onAllThreads([&](size_t thread) { gradients[thread] = backward(calls[thread], thread); });
  for (size_t i = 0; i < kThreads; ++i) {
    EXPECT_EQ(differenceOfValues(backward(expected[i], i), gradients[i]), "") << "thread " << i;
  }
}

} // namespace
} // namespace touchstone::tests
