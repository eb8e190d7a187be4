#include "oracles/compare/Rules.h"

#include <initializer_list>

namespace touchstone::compare {

const std::array<RuleEntry, kRuleCount>& ruleTable() {
  static const std::array<RuleEntry, kRuleCount> table{{
      {Rule::kA1, "A1", "version counters",
       "Only \"bumped at all\" is compared, one way: an input whose data eager wrote must be bumped.",
       "The runtime adds an increment of its own (`runtime_wrappers.py`, `increment_mutation_versions`): counts differ "
       "in "
       "38 % of programs, the predicate in 0.4 %. Bumps by metadata-only operations are free. An input that eager "
       "wrote and "
       "that is not bumped at all stays a bug."},
      {Rule::kA2, "A2", "view bookkeeping", "`_base`, `_is_view()` and the type of grad_fn are not compared.",
       "Outputs are made again from their base or input by view replay or as_strided (the note on outputs that alias "
       "inputs or intermediates in `_functorch/_aot_autograd`). Whether there is a grad_fn at all stays compared."},
      {Rule::kA3, "A3", "multi-output views of intermediates",
       "Pieces of unbind, split or chunk of one intermediate may not share a version counter, and eager's later error "
       "on "
       "a piece may be missing.",
       "The note on differentiable outputs that alias each other from a multi-output view call. Storage sharing must "
       "hold; "
       "pieces of an input are not covered."},
      {Rule::kA4, "A4", "gradient strides",
       "Strides of results of `autograd.grad`; of `.grad` those of dimensions of size one.",
       "Tangents are coerced to the traced layout (`guess_tangent_strides_as_outputs`). The layout of `.grad` of a "
       "leaf is a contract (accumulate_grad.h) and stays compared; the contract leaves dimensions of size one open, "
       "and "
       "whether the engine adds in place decides about them."},
      {Rule::kA5, "A5", "None or zero",
       "Eager's gradient is None, the compiled one exactly zero: outcome NoneBecameZero.",
       "An autograd.Function materializes the gradients that it returns; reported once a campaign. Eager None and "
       "compiled "
       "not zero, and eager a tensor and compiled None, stay bugs."},
      {Rule::kA6, "A6", "insignificant strides",
       "Strides of dimensions of size 1 or 0 and of tensors with at most one element; the offset too where there is no "
       "element (both not where numerics are strict). Backends that promise no strides: any stride, where `aot_eager` has "
       "eager's on the same Case.",
       "`check_significant_strides` in `torch/_prims_common`. Every other stride must be eager's, under Inductor too "
       "(`keep_output_stride`)."},
      {Rule::kA7, "A7", "rounding",
       "Element i may differ by 8 * max(|e - r|, max |e_k - e|, max |s_k - s|, ulp(r)), and by 8 times the least "
       "normal number of float, bfloat16 and double: e eager, r the same in double precision with the recorded "
       "random draws, e_k four eager runs with inputs moved by one ulp (those in float16 and bfloat16 only for values "
       "that are in half precision or come of a step that is; else what makes wider numbers of such inputs is moved); "
       "of backends that decompose or fuse, eight "
       "more in which each new result of an operator that rounds is moved, too (in the forward; operators of the "
       "exact list are not, nor those that pick or copy elements), and two, with inputs as they are, in which these "
       "operators get their operands in memory without gaps, and with; s, of these backends, the Program as the "
       "native `aot_eager_decomp_partition` computes it, and s_k twelve runs of that in which each result of a step "
       "that rounds is moved, in the backward too, with the operands of what adds up, and every third time zeros; "
       "and, among the e_k of gradients, two, one of them in double precision, with a backward for each root alone "
       "(without hooks, custom functions and backwards that raise). Native backends that only trace: gradients "
       "alone; those that functionalize: everything as well from the first call on whose Program writes to memory; "
       "all others: everything. Nothing at all in exact mode, but for the sign of a zero in a gradient: of TorchScript, "
       "whose backward formulas multiply by 0 and 1 where eager's select, and, where numerics are not strict, of "
       "torch.compile, which adds zeros for an output that has no gradient in the backward, where eager adds nothing.",
       "The joint graph adds gradient contributions in another order, decompositions and fusion round elsewhere, and "
       "eager's own kernels round by layout: `torch.sub(x, 7 / 3, alpha=3)` has other bits in the vectorized body "
       "than in the tail, and functionalization gives tensors another layout. In exact mode (operators of the exact "
       "list, inputs of kind `grid`) every order gives the same bits: four of four reductions differ under Inductor "
       "on normal data, none on grid data. An integer, a NaN or an infinity that differs stays a bug unless the "
       "moved runs differ there too (of a complex number, in either part), and so does an element beyond its bound "
       "unless it was computed from an integer "
       "or bool that a moved run changed, or, of backends that decompose or fuse, the one in double precision "
       "(IllConditioned). How far simpler steps lead from eager is no evidence, only how far they are moved: a wrong "
       "decomposition stays a bug. An s_k that decides about an integer or bool in another way, or moves zeros, "
       "widens no bound; what it alone explains is IllConditioned. Where such a run calls other operators or "
       "returns other sizes, or an e_k calls other operators, rounding decides which way the Program goes, and what "
       "differs in that call or later, or is raised but not in compiling, is IllConditioned; so is an infinity for a "
       "number of the same sign within a factor of 8 of the largest, which overflows in simpler steps on its way. A NaN "
       "for an infinity of eager's is, too, where s is NaN, and eager's is a number in double precision, within a factor of 8 of "
       "the largest, so that a sum overflows by its order, or s is not NaN in double precision. Either is for the other where one "
       "side multiplies an infinity by a number that rounded to zero: two more runs of eager, and each third s_k, in which zeros "
       "become the least numbers, have the infinity. A "
       "gradient that "
       "differs is EagerUnstable where eager has the compiled one once the backward of each operator gets contiguous "
       "gradients (not with hooks and custom functions): a kernel of eager reads others wrongly. A run that is not "
       "finite widens no bound, and those with a backward for each root do nothing else."},
      {Rule::kA8, "A8", "early errors",
       "An exception of the compiled side where eager's full backward (all differentiable outputs and mutated inputs "
       "as roots, nothing between; or a gradient that the Program takes itself, of all leaves) raises: with the text "
       "of that (autograd's hint at anomaly mode left out), or, of "
       "backends that do not owe texts, with another where the call has a backward of its own, or the Program takes "
       "the gradient, and eager does not "
       "raise. Where both backwards raise, the "
       "compiled one's may be any that a node of eager's backward raises by itself, or the backward from one of the "
       "call's roots.",
       "AOT traces the whole backward at compile time. Where the compiled side returns, its values, strides and "
       "aliasing are judged as ever; where the full backward works, the exception stays a bug, and so does an "
       "internal error."},
      {Rule::kA9, "A9", "poisoned outputs",
       "An exception of the compiled side, and the autograd metadata of that tensor, where reading grad_fn or is_leaf "
       "of an "
       "eager output or input raises.",
       "A view made under no_grad and then mutated; a piece of a multi-output view whose base changed. Values, strides "
       "and aliasing are judged as ever; an internal error stays a bug."},
      {Rule::kA10, "A10", "lenient backend",
       "Eager raises, the compiled side accepts: outcome BackendAccepts, listed; MissingRefusal, a finding of the lowest class, where "
       "eager's error is an operator's refusal of an argument in the forward: a bound, a shape, a dtype, an index.",
       "Tracing does not repeat every check of eager. A backward that is accepted because an output wrongly has a "
       "grad_fn stays a bug: it differs in requires_grad. Where the rule does not apply, accepting is a difference in "
       "structure, in the backward one in gradient_presence."},
      {Rule::kA11, "A11", "exception types", "Both raise: equal, whatever the classes.",
       "Compile-time errors are wrapped, and fake kernels raise with other classes than real ones. A compiled side "
       "that "
       "died of an internal error is an InternalError. Native backends owe the class and the first line of the "
       "message, the reference the class: some words are the evaluator's own."},
      {Rule::kA12, "A12", "identity of aliases of inputs",
       "An output that is a no-op alias of an input may be another object over the same memory.",
       "The same note as A2. Identity among intermediates returned twice stays compared, and of an input where the "
       "returned expression is the parameter's own name."},
      {Rule::kA13, "A13", "documented refusals",
       "Exceptions whose innermost message is one of the documented refusals.",
       "Regular expressions in `oracles/compare/ExceptionRules.cpp`. Every other refusal stays a bug. Of native "
       "pipelines only the one of second derivatives."},
      {Rule::kA14, "A14", "overlapping memory",
       "After a write through a tensor in which two elements share memory, or through a view of one, or to memory that "
       "the "
       "same operator reads through a tensor laid out otherwise: an exception, the "
       "values of the bytes written more than once, what was computed from them, and gradients whose way leads through "
       "such a step. Of what is summed up in place over such elements (`cumsum_`), all. Where such a write raised "
       "midway on "
       "both sides, the values of the inputs. A call that may go another way, by a number that was read from such "
       "elements, "
       "is EagerUnstable where it differs.",
       "The documentation of `expand` calls the result undefined. Everything else in that Case is judged, and an "
       "internal error stays a bug; a stride-0 tensor without repetition is legal and is not excused, and neither are "
       "operators that change sizes and strides alone, nor those that read a number before they write, as "
       "`x.fill_(x[1])`."},
      {Rule::kA15, "A15", "nondeterminism",
       "Elements that an operator's documentation leaves open (the index of an element that has an equal in its row, a "
       "place that is written more than once, a vector up to its sign; where numerics are not strict, the larger or "
       "smaller of a zero and a negative zero, the sign of a zero that a product of matrices is added to in place, the "
       "sign of a NaN), what is computed "
       "from them, gradients whose way from root to leaf leads through such "
       "a step, and returned numbers "
       "that depend on one read from them. A call that may go another way by such a number is EagerUnstable where it "
       "differs.",
       "By name, from the table in `oracles/taint/Nondeterminism.cpp`, and only where there is a choice: a sort without ties "
       "and a scatter without repeated places leave nothing open. Values, gradients and numbers that do not depend on "
       "an unspecified element stay compared: operators on single elements carry it element by element, views by their "
       "storage; what any other operator computes from it is unspecified as a whole."},
      {Rule::kA16, "A16", "change between forward and backward",
       "A returned or input tensor is changed in place between forward and backward, by the Program itself behind a "
       "graph break as well (or detached there, which one side alone may refuse), and one side alone raises \"has "
       "been modified by an inplace operation\", or that a view's base \"has been modified inplace\". Where both "
       "raise such an error, each may name another tensor; when the Program itself made the change, the compiled "
       "side blames no view where eager blames none; its error may be any that a node of eager's backward raises by "
       "itself, or the backward from one of the call's roots. Where the write moved a leaf \"into the graph "
       "interior\", eager may have come by that first. Where neither raises, the gradients of the unchanged values "
       "are right as well: eager does not notice a change of memory that an operator, like the `_unsafe_view` in "
       "`kron`, has handed on under a version of its own. Not where the Case sets `.grad` or runs a backward.",
       "AOT saves other tensors than eager does. Where the compiled side returns gradients they must be those of the "
       "unchanged values: silently using the changed one stays a bug, and so does another text. Those of leaves "
       "behind a root, a view, that the change gives another grad_fn are not compared: there is no eager run that "
       "shows them."},
      {Rule::kA17, "A17", "inputs after a call that raised",
       "Eager changed an input before the operation that raised; the compiled call, in which nothing compiled ran, "
       "left "
       "it, to the last bit, as it was before the call.",
       "Compiling comes before running. An input that the compiled call changed to something else stays a bug, and so "
       "does a change that is lost because compiled code raised first."},
  }};
  return table;
}

std::optional<Rule> ruleFromName(std::string_view name) {
  for (const RuleEntry& entry : ruleTable()) {
    if (entry.name == name) {
      return entry.rule;
    }
  }
  return std::nullopt;
}

namespace {

Rules rulesFrom(std::initializer_list<Rule> members) {
  Rules rules;
  for (Rule rule : members) {
    rules.set(static_cast<size_t>(rule));
  }
  return rules;
}

} // namespace

Rules rulesOf(ir::RuleSet set) {
  static const Rules kNative = rulesFrom({Rule::kA2, Rule::kA4, Rule::kA7, Rule::kA8, Rule::kA9, Rule::kA13, Rule::kA14,
                                          Rule::kA15, Rule::kA16, Rule::kA17});
  static const Rules kScript = kNative | rulesFrom({Rule::kA10, Rule::kA11});
  static const Rules kReference = rulesFrom({Rule::kA2, Rule::kA15});
  switch (set) {
    case ir::RuleSet::kNativeExact:
    case ir::RuleSet::kNativeFunctional:
    case ir::RuleSet::kNativeRounding: return kNative;
    case ir::RuleSet::kNativeScript: return kScript;
    case ir::RuleSet::kReference: return kReference;
    case ir::RuleSet::kAot:
    case ir::RuleSet::kDecomposed:
    case ir::RuleSet::kInductor: return Rules().set();
  }
  return {};
}

bool mayRoundForward(ir::RuleSet set, bool writes) {
  return (set == ir::RuleSet::kNativeFunctional && writes) || set == ir::RuleSet::kAot ||
         set == ir::RuleSet::kNativeRounding || set == ir::RuleSet::kNativeScript || set == ir::RuleSet::kDecomposed ||
         set == ir::RuleSet::kInductor;
}

bool isNative(ir::RuleSet set) {
  return set == ir::RuleSet::kNativeExact || set == ir::RuleSet::kNativeFunctional ||
         set == ir::RuleSet::kNativeRounding || set == ir::RuleSet::kNativeScript;
}

bool mayDecompose(ir::RuleSet set) {
  return set == ir::RuleSet::kNativeRounding || set == ir::RuleSet::kNativeScript || set == ir::RuleSet::kDecomposed ||
         set == ir::RuleSet::kInductor;
}

bool multipliesByMasks(ir::RuleSet set) {
  return set == ir::RuleSet::kNativeScript;
}

bool materializesZeros(ir::RuleSet set) {
  return set == ir::RuleSet::kAot || set == ir::RuleSet::kDecomposed || set == ir::RuleSet::kInductor;
}

bool dropsUnreadOperators(ir::RuleSet set) {
  return set == ir::RuleSet::kNativeScript;
}

bool promisesStrides(ir::RuleSet set) {
  return set != ir::RuleSet::kDecomposed;
}

bool comparesMessages(ir::RuleSet set) {
  return set == ir::RuleSet::kNativeExact || set == ir::RuleSet::kNativeFunctional ||
         set == ir::RuleSet::kNativeRounding;
}

} // namespace touchstone::compare
