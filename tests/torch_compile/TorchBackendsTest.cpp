#include "backends/Registry.h"
#include "tests/torch_compile/Programs.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/ones.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace touchstone::tests {

using values::Value;

namespace {

class TorchBackendsTest : public PythonTest {
 protected:
  static void SetUpTestSuite() {
    PythonTest::SetUpTestSuite();
    for (const char* name : {"torch:eager", "torch:aot_eager"}) {
      backends::makeBackend(name)->warmUp();
    }
  }
};

const std::string kProgram = "def program(x):\n    x.add_(1)\n    return x.sin() * 2, x\n";

double residentMegabytes() {
  std::ifstream file("/proc/self/statm");
  double total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

size_t threadCount() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    ++count;
  }
  return count;
}

int statusOfChild(const std::function<bool()>& works) {
  torch_compile::beforeFork();
  pid_t child = fork();
  if (child == 0) {
    torch_compile::afterForkInChild();
    int status = 2;
    try {
      status = works() ? 0 : 1;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    _exit(status);
  }
  torch_compile::afterForkInParent();
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

} // namespace

TEST_F(TorchBackendsTest, AWarmProcessHasOneThreadAndItsChildrenCompile) {
  EXPECT_EQ(threadCount(), 1u);
  for (const char* backend : {"eager", "aot_eager"}) {
    SCOPED_TRACE(backend);
    EXPECT_EQ(statusOfChild([&] {
                auto program = torch_compile::compileInPython(kProgram, backend);
                at::Tensor x = at::ones({2, 3}).requires_grad_();
                at::Tensor input = x.clone();
                Value returned = call(*program, {Value(input)});
                (*returned.items())[0].tensor().sum().backward();
                return x.grad().defined() && (*returned.items())[1].tensor().is_same(input) &&
                       program->report().compiledRuns == 1;
              }),
              0);
  }
  auto program = torch_compile::compileInPython(kProgram, "eager");
  EXPECT_NO_THROW(call(*program, {Value(at::ones({2, 3}))})) << "the parent goes on as before";
}

TEST_F(TorchBackendsTest, MemoryIsBoundedOverManyPrograms) {
  auto compileSome = [&](int count) {
    for (int number = 0; number < count; ++number) {
      auto program = torch_compile::compileInPython(
          "def program(x):\n    return x.add_(" + std::to_string(number) + ")\n", "eager");
      call(*program, {Value(at::ones({256, 256}))});
      if (number % 8 == 0) { // an exception holds frames, which hold tensors
        EXPECT_ANY_THROW(call(*program, {Value()}));
      }
    }
  };
  compileSome(24);
  double before = residentMegabytes();
  compileSome(100);
  // One leaked tensor a Program would be 26 MB.
  EXPECT_LT(residentMegabytes() - before, 10.0);
}

TEST_F(TorchBackendsTest, WhatAProgramPrintsIsDropped) {
  ::testing::internal::CaptureStdout();
  auto program =
      torch_compile::compileInPython("def program(x):\n    print('to be dropped')\n    return x + 1\n", "eager");
  call(*program, {Value(at::ones({2}))});
  std::fflush(stdout);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
}

TEST_F(TorchBackendsTest, ACustomBackendIsNamedByModuleAndAttribute) {
  auto program = torch_compile::compileInPython(kProgram, "torch._dynamo.backends.debugging:aot_eager");
  call(*program, {Value(at::ones({2, 3}))});
  EXPECT_EQ(program->report().compiledRuns, 1);
  EXPECT_ANY_THROW(torch_compile::compileInPython(kProgram, "no.such.module:backend"));
}

TEST_F(TorchBackendsTest, StartingAgainChangesNothing) {
  EXPECT_EQ(torch_compile::startTorchBackends("/nowhere/python"), "");
}

} // namespace touchstone::tests
