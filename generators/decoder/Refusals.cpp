#include "generators/decoder/Refusals.h"

#include "generators/catalogue/CalledOperators.h"
#include "generators/decoder/OperandChoice.h"
#include "generators/decoder/ProgramEditing.h"
#include "program/parser/CaseParser.h"
#include "program/values/RaisedException.h"

#include <iterator>
#include <string>
#include <vector>

namespace touchstone::decoder {

using language::ExprPtr;

namespace {

constexpr int kPercent = 3, kPercentWithLittleElse = 40; // of Cases
constexpr int kRefusalAttempts = 8;

constexpr Refusal kRefusals[] = {
    // Indices.
    {"an index past the end", "A[99]"},
    {"an index before the beginning", "A[-99]"},
    {"an index past the end of a row", "A[:, 99]"},
    {"more indices than dimensions", "A[0, 0, 0, 0, 0, 0, 0]"},
    {"a list of indices past the end", "A[torch.full((2,), 99, dtype=torch.int64)]"},
    {"a list of indices before the beginning", "A[torch.full((2,), -99, dtype=torch.int64)]"},
    {"index_select past the end", "torch.index_select(A, 0, torch.full((2,), 99, dtype=torch.int64))"},
    {"index_select by floats", "torch.index_select(A, 0, torch.ones(1))"},
    {"gather past the end", "torch.gather(A.flatten(), 0, torch.full((2,), 99, dtype=torch.int64))"},
    {"gather by an index of other rank", "torch.gather(A, 0, torch.zeros((2,), dtype=torch.int64))"},
    {"take past the end", "torch.take(A, torch.full((2,), 99, dtype=torch.int64))"},
    {"scatter past the end", "torch.scatter(A.flatten(), 0, torch.full((2,), 99, dtype=torch.int64), 1.0)"},
    {"index_add of another length",
     "torch.index_add(A.flatten(), 0, torch.zeros((2,), dtype=torch.int64), A.flatten())"},
    {"embedding past the end",
     "torch.nn.functional.embedding(torch.full((2,), 99, dtype=torch.int64), A.reshape(-1, 1))"},
    {"a class that there is not", "torch.nn.functional.one_hot(torch.full((2,), 5, dtype=torch.int64), 2)"},
    {"a negative class", "torch.nn.functional.one_hot(torch.full((2,), -1, dtype=torch.int64))"},
    {"narrow past the end", "torch.narrow(A, 0, 0, 99)"},
    {"narrow of a negative length", "torch.narrow(A, 0, 0, -1)"},
    {"select past the end", "torch.select(A, 0, 99)"},
    {"a target that is no class",
     "torch.nn.functional.cross_entropy(A.reshape(1, -1).float(), torch.full((1,), 99, dtype=torch.int64))"},
    // Dimensions.
    {"sum of a dimension that there is not", "A.sum(9)"},
    {"sum of a dimension twice", "A.sum((0, 0))"},
    {"softmax of a dimension that there is not", "torch.softmax(A, 9)"},
    {"cat along a dimension that there is not", "torch.cat((A, A), 9)"},
    {"stack along a dimension that there is not", "torch.stack((A, A), 9)"},
    {"transpose of a dimension that there is not", "A.transpose(0, 9)"},
    {"permute of a dimension twice", "A.permute(0, 0)"},
    {"permute of too few dimensions", "A.unsqueeze(0).permute(0, 1)"},
    {"flip of a dimension that there is not", "A.flip(9)"},
    {"cumsum along a dimension that there is not", "A.cumsum(9)"},
    {"unsqueeze at a dimension that there is not", "A.unsqueeze(9)"},
    {"squeeze of a dimension that there is not", "A.squeeze(9)"},
    {"flatten from behind its end", "A.unsqueeze(0).flatten(1, 0)"},
    {"the diagonal of one dimension", "torch.diagonal(A, 0, 0, 0)"},
    {"argmax of a dimension that there is not", "A.argmax(9)"},
    {"movedim of a dimension that there is not", "torch.movedim(A, 0, 9)"},
    {"rotation in one dimension", "torch.rot90(A, 1, (0, 0))"},
    {"tril of a vector", "torch.tril(A.flatten())"},
    {"logsumexp of a dimension that there is not", "torch.logsumexp(A, 9)"},
    // Sizes and counts.
    {"view of other elements", "A.view(97)"},
    {"reshape to two unknown sizes", "A.reshape(-1, -1)"},
    {"reshape to other elements", "A.reshape(97)"},
    {"expand to other sizes", "A.expand(97, 98)"},
    {"expand to fewer dimensions", "A.unsqueeze(0).expand(3)"},
    {"repeat of too few dimensions", "A.unsqueeze(0).repeat(2)"},
    {"a negative repeat", "torch.repeat_interleave(A, -1)"},
    {"no chunks", "torch.chunk(A, 0)"},
    {"unfold of more than there is", "A.unfold(0, 99, 1)"},
    {"unfold by no step", "A.unfold(0, 1, 0)"},
    {"topk of more than there is", "torch.topk(A, 99)[0]"},
    {"the value behind the last", "torch.kthvalue(A.flatten(), 99)[0]"},
    {"sizes below zero", "A.new_zeros((2, -3))"},
    {"eye of a negative size", "torch.eye(-1)"},
    {"linspace of a negative count", "torch.linspace(0, 1, -1)"},
    {"a range that goes the other way", "torch.arange(0, 5, -1)"},
    {"a window larger than the input", "torch.nn.functional.max_pool1d(A.reshape(1, 1, -1).float(), 99)"},
    {"a pad of half a pair", "torch.nn.functional.pad(A, (1,))"},
    // Shapes that do not fit.
    {"a product of shapes that do not fit", "torch.mm(A, A)"},
    {"a product of a vector by mm", "torch.mm(A.flatten(), A.flatten())"},
    {"a batched product of matrices", "torch.bmm(A, A)"},
    {"a sum that does not broadcast", "A.flatten() + A.new_ones(97)"},
    {"cat of other ranks", "torch.cat((A, A.unsqueeze(0)))"},
    {"stack of other sizes", "torch.stack((A.flatten(), A.new_ones(97)))"},
    {"dot of other lengths", "torch.dot(A.flatten(), A.new_ones(97))"},
    {"dot of matrices", "torch.dot(A, A)"},
    {"a condition that does not broadcast", "torch.where(torch.ones(97) > 0, A.flatten(), A.flatten())"},
    {"linear of other features", "torch.nn.functional.linear(A.float(), torch.ones(97, 97))"},
    {"a convolution of other channels", "torch.nn.functional.conv1d(torch.ones(1, 2, 5), torch.ones(1, 3, 2))"},
    {"layer_norm over other sizes", "torch.nn.functional.layer_norm(A.float(), (97,))"},
    {"the trace of a vector", "torch.trace(A.flatten())"},
    {"the inverse of what is not square", "torch.linalg.inv(torch.ones(2, 3))"},
    {"a mask of another size", "A.flatten()[torch.ones(97) > 0]"},
    // Dtypes.
    {"bits of floats", "torch.bitwise_and(A.float(), A.float())"},
    {"not of floats", "torch.bitwise_not(A.float())"},
    {"the difference of bools", "A.bool() - A.bool()"},
    {"the negative of bools", "-A.bool()"},
    {"the mean of integers", "A.to(torch.int64).mean()"},
    {"softmax of integers", "torch.softmax(A.to(torch.int64), 0)"},
    {"a product of two dtypes", "torch.mm(torch.ones(2, 2), torch.ones((2, 2), dtype=torch.float64))"},
    {"lerp of two dtypes", "torch.lerp(A.float(), A.double(), 0.5)"},
    {"floor of complex numbers", "torch.floor(A.to(torch.complex64))"},
    {"the maximum of complex numbers", "torch.max(A.to(torch.complex64))"},
    {"clamp of complex numbers", "torch.clamp(A.to(torch.complex64), 0, 1)"},
    {"a condition of floats", "torch.where(A.float(), A, A)"},
    {"a mask of floats", "A.masked_fill(A.float(), 0)"},
    {"integers to a negative power", "torch.pow(A.to(torch.int64), -1)"},
    {"a fraction of integers added", "torch.add(A.to(torch.int64), A.to(torch.int64), alpha=0.5)"},
    {"a float written to integers", "A.to(torch.int64).add_(0.5)"},
    // Values.
    {"clamp without bounds", "torch.clamp(A)"},
    {"bounds beyond the dtype", "torch.clamp(A.float(), -3.4e39, 3.4e39)"},
    {"a number beyond the dtype", "A.float().clone().fill_(1e300)"},
    {"a rounding that there is not", "torch.div(A, A, rounding_mode=\"up\")"},
    {"a probability above one", "torch.nn.functional.dropout(A.float(), 1.5, True)"},
    {"a quantile above one", "torch.quantile(A.float().flatten(), 1.5)"},
    {"a histogram without bins", "torch.histc(A.float(), 0)"},
};

/// The statement's value with the tensor in its place.
ExprPtr spelled(const Refusal& refusal, const std::string& tensor) {
  return instantiate(parser::parseExpression(std::string(refusal.text)), {{"A", {language::makeName(tensor)}}});
}

/// Eager refuses it, and it is neither Touchstone's evaluator that comes to a limit nor a profile that excludes what it makes.
bool isRefused(DecoderState& state, const ExprPtr& expression) {
  const language::StatementPtr alone = language::makeExpressionStatement(expression);
  if ((!state.options.features.mutation && writesToTensors(alone)) ||
      catalogue::refusesCalled(state.options.features.exclusions, catalogue::operatorsCalled({alone}))) {
    return false;
  }
  const int excludedBefore = state.statistics.excluded;
  try {
    state.evaluator.evaluate(*expression, state.environment);
    return false;
  } catch (const std::exception&) {
    return state.statistics.excluded == excludedBefore && !values::currentException().isLimit;
  }
}

} // namespace

std::span<const Refusal> refusals() {
  return kRefusals;
}

std::optional<std::string> addRefusal(DecoderState& state, uint64_t seed) {
  catalogue::Draw draw(seed, "refusal");
  const catalogue::Parts parts = state.options.features.parts;
  const int percent =
      catalogue::areDense(parts) ? kPercent : kPercentWithLittleElse; // who leaves parts out asks for this one
  if (state.raises() || !parts.has(catalogue::Part::kWrongArguments) || !draw.chance(percent)) {
    return std::nullopt;
  }
  std::vector<std::string> tensors;
  for (const Variable& variable : state.variables) {
    if (variable.value.isTensor() && variable.value.tensor().dim() > 0 && variable.value.tensor().numel() > 0) {
      tensors.push_back(variable.name);
    }
  }
  for (int attempt = 0; attempt < kRefusalAttempts && !tensors.empty(); ++attempt) {
    const Refusal& refusal = kRefusals[draw.below(std::ssize(kRefusals))];
    const ExprPtr expression = spelled(refusal, tensors[static_cast<size_t>(draw.below(std::ssize(tensors)))]);
    if (isRefused(state, expression)) {
      const std::string name = state.newName();
      state.statements.push_back(
          {.statement = language::makeAssign({language::makeName(name)}, expression), .raises = true});
      return name;
    }
  }
  return std::nullopt;
}

} // namespace touchstone::decoder
