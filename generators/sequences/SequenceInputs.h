#pragma once

#include "generators/catalogue/Draw.h"
#include "program/language/Case.h"

#include <string>
#include <string_view>
#include <vector>

namespace touchstone::sequences {

/// What a call of a sequence has otherwise than the call before it. Values differ in each call.
enum class SequenceChange {
  kValues,
  kSize,
  kRank,
  kStride,
  kOffset,
  kDtype,
  kRequiresGrad,
  kLeaf,
  kView,
  kSameTensor,
  kSharedMemory,
  kOverlap,
  kInteger,
  kNumber,
  kFlag,
  kText,
  kNone,
  kListLength,
  kSameList,
  kDictKey,
  kModuleAttribute,
  kModuleMode,
  kGradMode,
  kAutocast,
  kSameObjects,
  kBack,
};
constexpr int kSequenceChangeCount = static_cast<int>(SequenceChange::kBack) + 1;
/// `storage offset`; for people.
std::string_view sequenceChangeName(SequenceChange change);

/// A tensor that a call gets, somewhere in its arguments.
struct SequenceTensor {
  enum class Gradient { kNone, kLeaf, kComputed };
  std::vector<int64_t> sizes{2, 3};
  const char* dtype = "torch.float32";
  Gradient gradient = Gradient::kNone;
  bool isTransposed = false, hasGaps = false;
  bool isView = false; // one that autograd knows of
  int64_t offset = 0;
  int sameAs = -1; // the very object of an earlier one
  int shares = -1; // lies in the memory of an earlier one, `distance` elements behind its begin
  int64_t distance = 0;
};

/// What the `inputs` function of a call makes. The tensors are x, y, z, those of `parts`, of `table` and of `m`, in this
/// order, whether or not the Program has the parameter.
struct SequenceInputs {
  static constexpr size_t kNamed = 3, kTable = 3, kModule = 5, kParts = 7; // where the tensors of each begin
  std::vector<SequenceTensor> tensors = std::vector<SequenceTensor>(9); // those of `parts` at the end
  int64_t integer = 2;
  int number = 6; // quarters
  bool flag = true, isNone = true, isSameList = false, hasThirdKey = false, isTraining = true;
  const char* text = "a";
  const char* key = "b";
  int64_t scale = 2;

  /// For a Program with these parameters, in their order.
  language::Function function(const std::string& name, const std::vector<std::string>& parameters) const;
  /// Changes one thing of what the parameters hold; false: there is no such thing. What is changed of a tensor is changed
  /// of `target`, one of tensorsOf(); -1: of any.
  bool change(SequenceChange change, const std::vector<std::string>& parameters, catalogue::Draw& draw,
              int target = -1);
  /// The tensors that the parameters hold.
  std::vector<size_t> tensorsOf(const std::vector<std::string>& parameters) const;
};

} // namespace touchstone::sequences
