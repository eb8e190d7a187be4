#pragma once

#include "generators/catalogue/Parts.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace touchstone::catalogue {

struct Exclusions;

/// What a record decodes to; four bits of its key choose, statements most often.
enum class Section { kInput, kStatement, kOutput, kCall };

/// One statement's worth of choices: 16 bytes. Every draw of the statement comes from its own record, so deleting a
/// record leaves the others what they were.
struct Record {
  uint32_t key = 0; // chooses the section (input, statement, output, call) and, by rendezvous hash, the operator
  uint32_t operands = 0; // four picks of 8 bits: distance back among what fits
  uint64_t attributes = 0; // seed of the statement's attributes
  bool operator==(const Record&) const = default;

  Section section() const;
  /// The key with its section bits replaced.
  static uint32_t keyIn(Section section, uint32_t key);
  /// Of a statement, where the Case has idioms: whether it is one, by the first bit of its key, and how far in the table, of
  /// [0, 1), by the others.
  bool isIdiom() const { return (key & kIdiomBit) != 0; }
  double idiomPlace() const { return static_cast<double>(key & (kIdiomBit - 1)) / kIdiomBit; }
  static constexpr uint32_t kIdiomBit = uint32_t{1} << 31;

  int pick(int operand) const { return static_cast<int>(operands >> (8 * (operand & 3)) & 0xff); }
};

/// The flat list that a Case is decoded from. Every byte string is a valid Recipe (a last partial record is dropped).
using Recipe = std::vector<Record>;

/// Records beyond this many are ignored by decode().
constexpr size_t kMaximumRecords = 256;

Recipe recipeFromBytes(std::span<const uint8_t> bytes);
std::vector<uint8_t> recipeBytes(const Recipe& recipe);

/// Hexadecimal text of a Recipe and back; throws std::invalid_argument.
std::string recipeText(const Recipe& recipe);
Recipe recipeFromText(const std::string& text);

/// What the statements of a Program have to do with one another.
enum class Style {
  kLoose, // each takes what fits
  kDense, // most take what the ones right before them made; nothing is computed in vain
  kDifferentiable, // the same with derivatives, from several leaves to several outputs
  kTraining, // the same with parameters, a loss, and steps of an optimizer
};

/// What a campaign switches on and off from Case to Case (swarm testing).
struct Features {
  bool aliasedInputs = true;
  bool mutation = true;
  bool backward = true;
  bool changedCalls = true;
  bool steady = false; // what one compile serves: calls alike in all that compiled code is guarded by
  bool exactOnly = false; // operators on the exact list and values of kind `grid` only
  bool regions = true; // `with torch.no_grad():` and the like around statements
  bool shapes = true; // functions, branches and loops
  bool dataBranches = true; // among the branches some on values of tensors
  bool modules = true; // at times a module record as the last argument
  bool random = false; // operators that draw random numbers
  /// Swarm testing: the families and the operators that take part are drawn from this; 0: all of them. Rare combinations
  /// come up often where few operators are left.
  uint64_t swarm = 0;
  Parts parts = kDefaultParts;
  Style style = Style::kLoose;
  bool large = false; // the last dimensions of arguments are around 8, 16, 64 or 1,000 long
  bool dynamic = false; // sizes change alike in all inputs, and the Program computes with them
  bool python = false; // constructs that need Python
  bool flags = false; // one or two flags of PyTorch's configs
  bool constructs = false; // transforms, own autograd functions, hooks and closures around what was decoded
  bool layers = false; // a recurrent layer among the arguments
  bool customOperators = false; // operators of the Case's own, with drawn bodies
  bool idioms = false; // rows of `generators/idioms` are among the statements

  bool isDense() const { return style != Style::kLoose; }
  /// A profile may switch the backward off in any style.
  bool wantsGradients() const { return backward && (style == Style::kDifferentiable || style == Style::kTraining); }

  int minimumOperations = 8;
  int maximumOperations = 16;
  Exclusions* exclusions = nullptr; // of a profile; null: nothing is excluded. Outlives the decoding
};

/// The features of Case `index` of a campaign: modes rotate with the index, the swarm and the number of operations are
/// drawn. Depends on seed, index and parts only.
Features featuresOf(uint64_t seed, uint64_t index, Parts parts = kDefaultParts);
/// The Recipe of Case `index`: depends on seed, index and features only.
Recipe makeRecipe(uint64_t seed, uint64_t index, const Features& features);

} // namespace touchstone::catalogue
