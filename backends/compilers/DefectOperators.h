#pragma once

#include "graph/ir/Graph.h"

namespace touchstone::compilers {

// Which nodes of a Graph the known defects (KnownDefects.h) are about.

bool isAnyOperator(const ir::Graph& graph, const ir::Node& node);
bool draws(const ir::Graph& graph, const ir::Node& node);
/// A tensor that is made of constants alone.
bool isMadeOfConstants(const ir::Graph& graph, const ir::Node& node);
/// Reads or makes a complex tensor.
bool isOfComplexTensors(const ir::Graph& graph, const ir::Node& node);
/// Gives views, or operands themselves, and its schema does not say so.
bool hidesViews(const ir::Graph& graph, const ir::Node& node);
/// Writes to the tensors of a list, which TorchScript's schemas of aliases do not say of it.
bool writesToList(const ir::Graph& graph, const ir::Node& node);
/// Another one computes the same.
bool hasEqual(const ir::Graph& graph, const ir::Node& node);
/// Reads and makes tensors of several floating-point dtypes, numbers apart.
bool mixesDtypes(const ir::Graph& graph, const ir::Node& node);
bool isBesideMixedDtypes(const ir::Graph& graph, const ir::Node& node);
/// Writes to what it is called on: `aten::add_.Tensor`.
bool isInPlace(const ir::Graph& graph, const ir::Node& node);
/// TorchScript has another operator for it, without the write.
bool isInPlaceOfAten(const ir::Graph& graph, const ir::Node& node);
/// As a stand-in it keeps TorchScript from moving what others write: it has effects then, as it draws or another one computes
/// the same, or what its list holds may be any memory.
bool isInTheWayOfWrites(const ir::Graph& graph, const ir::Node& node);
/// Writes to nothing, and something writes to its result or to an operand, before or after it.
bool savesWhatIsWritten(const ir::Graph& graph, const ir::Node& node);
/// Makes a view; it, its base or another view of that is written to.
bool isViewThatIsWritten(const ir::Graph& graph, const ir::Node& node);
bool isViewThatIsReturned(const ir::Graph& graph, const ir::Node& node);
/// To a placeholder or a view of one.
bool writesToWhatIsGiven(const ir::Graph& graph, const ir::Node& node);
bool isBesideWhatIsWritten(const ir::Graph& graph, const ir::Node& node);
/// One of its operands gets three gradients or more; of two, the order of the sum is nothing.
bool readsWhatIsReadThrice(const ir::Graph& graph, const ir::Node& node);
bool isCat(const ir::Graph& graph, const ir::Node& node);
/// A mean over a list of dimensions that is empty, or None: over all.
bool isMeanOverNoDimension(const ir::Graph& graph, const ir::Node& node);
bool isProduct(const ir::Graph& graph, const ir::Node& node);
bool isMatmul(const ir::Graph& graph, const ir::Node& node);
bool isTransposition(const ir::Graph& graph, const ir::Node& node);
bool isTransposedAgain(const ir::Graph& graph, const ir::Node& node);
bool isProductWithTransposed(const ir::Graph& graph, const ir::Node& node);
bool isDetach(const ir::Graph& graph, const ir::Node& node);
bool isReciprocal(const ir::Graph& graph, const ir::Node& node);
bool isQuotient(const ir::Graph& graph, const ir::Node& node);
/// Has a zero, and another node has one of the other sign.
bool hasZeroOfOneSign(const ir::Graph& graph, const ir::Node& node);
/// One of its operands is a bool, or a tensor of one, which may be folded. A number that stands for a tensor has no metadata.
bool hasBool(const ir::Graph& graph, const ir::Node& node);
bool isSoftplus(const ir::Graph& graph, const ir::Node& node);
/// x + 0, x - 0, x * 1, x / 1.
bool hasNeutralOperand(const ir::Graph& graph, const ir::Node& node);
bool isAddmm(const ir::Graph& graph, const ir::Node& node);
bool isHardtanh(const ir::Graph& graph, const ir::Node& node);
bool isThreshold(const ir::Graph& graph, const ir::Node& node);
bool isClampByTensor(const ir::Graph& graph, const ir::Node& node);
bool isLarger(const ir::Graph& graph, const ir::Node& node);
bool isHardsigmoid(const ir::Graph& graph, const ir::Node& node);
bool isBeforeClampByTensor(const ir::Graph& graph, const ir::Node& node);
bool isBesideComplexTensors(const ir::Graph& graph, const ir::Node& node);
/// And is no clamp by a tensor itself.
bool isBesideClampByTensor(const ir::Graph& graph, const ir::Node& node);
bool isBatchNorm(const ir::Graph& graph, const ir::Node& node);
/// Writes to its running statistics, which its schema does not say.
bool writesStatistics(const ir::Graph& graph, const ir::Node& node);
bool isBeforeBatchNorm(const ir::Graph& graph, const ir::Node& node);
bool isBesideBatchNorm(const ir::Graph& graph, const ir::Node& node);
bool isPower(const ir::Graph& graph, const ir::Node& node);
/// A result of the Graph that another node of it reads.
bool isResultThatIsRead(const ir::Graph& graph, const ir::Node& node);
/// Its gradient is multiplied by 0 where eager's kernel writes 0.
bool isMasked(const ir::Graph& graph, const ir::Node& node);
bool isUnderAutocast(const ir::Graph& graph, const ir::Node& node);
bool isStandardDeviation(const ir::Graph& graph, const ir::Node& node);
/// A linear map by what is a vector, as far as is known.
bool isLinearByVector(const ir::Graph& graph, const ir::Node& node);
/// A linear map from nothing, or to nothing.
bool isLinearOfNothing(const ir::Graph& graph, const ir::Node& node);
bool isPoolingWithIndices(const ir::Graph& graph, const ir::Node& node);
bool isBesideLinearByVector(const ir::Graph& graph, const ir::Node& node);

} // namespace touchstone::compilers
