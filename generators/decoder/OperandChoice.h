#pragma once

#include "generators/decoder/DecoderState.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace touchstone::decoder {

/// What a spelling's placeholders stand for, by their names, which live elsewhere: one expression, or several where
/// arguments are spliced in.
using Bindings = std::vector<std::pair<std::string_view, std::vector<language::ExprPtr>>>;
language::ExprPtr instantiate(const language::ExprPtr& pattern, const Bindings& bindings);

/// `A`, `B`, `C` bound to variables by their positions, and attributes to what is drawn for them. None: operand A admits none of
/// an attribute's.
std::optional<Bindings> bindPlaceholders(const DecoderState& state, std::span<const size_t> operands,
                                         const std::vector<std::string>& attributes, const AttributeContext& context);

/// The statement that a spelling stands for; an expression's value gets the name `result`, or none when that is null.
language::StatementPtr spelledStatement(const catalogue::Spelling& spelling, const Bindings& bindings,
                                        const language::ExprPtr& result);

/// What a record's statement is made of.
struct OperandChoice {
  std::vector<size_t> operands; // positions in DecoderState::variables
  at::Tensor subject; // operand A; undefined: there is none, or it is no tensor
  const catalogue::Spelling* spelling = nullptr;
  Bindings bindings;
  int factors = 1; // exact mode: of what the statement makes or writes, see DecoderState::factors
};

/// Draws the operands, the spelling and its attributes for one operator; nothing is run. None: no operands fit. `isWild`: any
/// tensor is an operand, as eager is to refuse.
std::optional<OperandChoice> chooseOperands(const DecoderState& state, const catalogue::Record& record,
                                            const catalogue::CatalogueEntry& entry, bool gradEnabled, bool isWild);

} // namespace touchstone::decoder
