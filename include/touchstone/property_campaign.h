#pragma once

#include <touchstone/aot.h>

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

/// What property.h tests with: neither GoogleTest nor rapidcheck is in it.
namespace touchstone::property {

/// What is tested.
///
/// - a name of `touchstone backends` (native ones): `const char* const AotEager = "aot_eager";`
/// - a compiler of captured Graphs, which have writes to their inputs and run under autograd, with the tensors of a call as
///   examples. It may return null: it compiles nothing, and the Graph runs eagerly, which counts as Vacuous. ir::Unsupported
///   says that it does not take the Graph.
/// - options of AOT autograd: the pipeline with these compilers, decompositions and this partition.
using Backend = std::variant<std::string, aot::Compiler, aot::Options>;

/// Keys of a profile (docs/profiles.md), and what steers the test.
struct Options {
  int cases = 100; // RC_PARAMS="max_success=1000" wins
  int calls = 2; // of each Case that change nothing but values; single changes come on top
  bool rounds = false; // results may round otherwise than eager's: rule A7; of named backends it is known
  std::vector<std::string>
      without; // features: `backward`, `mutation`, `aliased_inputs`, `modules`, `data_branches`, `custom_operators`, …
  std::vector<std::string> dtypes, operators, excludedOperators; // empty: all, all, none
  int minimumOperations = 8, maximumOperations = 16;
  /// Where reduced Cases go, and come from when the test begins. Empty: $TOUCHSTONE_FINDINGS, else `findings` in $TEST_TMPDIR,
  /// else `findings`.
  std::string findings;
  double reduceSeconds = 30;
  double maximumVacuous = 0.05; // above this share nothing was tested, and the test fails
};

/// The Cases of one test. What it returns is a failure's message, empty where there is none.
class Campaign {
 public:
  /// Throws std::invalid_argument for options and names that there are not.
  Campaign(const std::string& name, const Backend& backend, const Options& options);
  ~Campaign();
  Campaign(const Campaign&) = delete;
  Campaign& operator=(const Campaign&) = delete;

  /// The stored Cases of this test that still fail; $TOUCHSTONE_REPLAY, a case file, is judged besides.
  std::string replayStored();
  /// Judges one random Case, of which the number says all.
  std::string judge(uint64_t number);
  /// Once all are judged: was enough of it tested?
  std::string trouble() const;
  /// `100 Cases: 97 Agreed, 2 Limit, 1 Vacuous`
  std::string summary() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

} // namespace touchstone::property
