#pragma once

#include "backends/torch_compile/TorchBackends.h"
#include "backends/torch_compile/TorchProgram.h"
#include "program/values/Value.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace touchstone::tests {

/// Every suite of this folder starts the embedded interpreter once.
class PythonTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { ASSERT_EQ(torch_compile::startTorchBackends(TOUCHSTONE_PYTHON), ""); }

  static values::Value call(values::Callable& program, values::ValueList arguments) { return program(arguments); }
};

} // namespace touchstone::tests
