#pragma once

#include "generators/catalogue/Draw.h"
#include "generators/decoder/DecoderState.h"
#include "generators/features/AutogradCycles.h"
#include "program/evaluator/Evaluator.h"
#include "program/language/Case.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace touchstone::decoder {

/// What statements can take: a strided tensor within the limits, a whole number, a bool.
bool isUsable(const values::Value& value, const DecodeOptions& options);

/// The statements of one Program behind those of another. The donor runs along on inputs of its own, so it is known what
/// each of its names holds, and which variable of the other Program holds something alike.
class Splice {
 public:
  /// Adds the donor's functions that its Program may call to `receiver`; those of a name that is taken stay away.
  Splice(const language::Case& donor, language::Case& receiver);

  /// False: the donor has no further statement, or it raises there.
  bool next();
  /// Appends the statement that next() went to, when everything it reads has something alike and eager takes it; otherwise,
  /// or when it is not wanted, only the donor runs it. False: eager refused in the middle of a write.
  bool append(DecoderState& state, size_t record, bool wanted);
  /// Takes functions that came with the donor and that nothing reads out again.
  void dropUnused(language::Case& made) const;

 private:
  bool mapReads(DecoderState& state);
  std::string nameForWrite(DecoderState& state, const std::string& name, bool isRead);

  const language::Case& donor_;
  std::set<std::string> adopted_, unavailable_; // functions
  features::AutogradCycles cycles_; // outlives the values
  std::unique_ptr<evaluator::Evaluator> evaluator_;
  evaluator::Environment environment_; // of the donor
  std::map<std::string, std::string> names_; // of the donor to ours
  size_t position_ = 0; // behind the statement that is dealt with
  bool ended_ = false;
};

} // namespace touchstone::decoder
