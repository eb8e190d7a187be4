#pragma once

#include "program/language/CasePrinter.h"
#include "program/parser/CaseParser.h"

#include <ostream>
#include <regex>
#include <string>
#include <vector>

namespace touchstone::tests {

/// A Program with its inputs, written short.
struct AotProgram {
  const char* name;
  /// What the arguments are, separated by commas; lines before the last one are statements. `F(4, 6)` is data of that
  /// shape in float32; D: float64, C: complex64, I: int64, B: bool.
  const char* inputs;
  const char* parameters;
  const char* body;
  /// Why the pipeline is known to be wrong on it.
};

inline std::ostream& operator<<(std::ostream& stream, const AotProgram& program) {
  return stream << program.name;
}

/// Lines, indented as the body of a function.
inline std::string indented(const std::string& lines) {
  return "    " + std::regex_replace(lines, std::regex("\n"), "\n    ") + "\n";
}

/// `F(4, 6)` and the like spelled out.
inline std::string withData(const std::string& text) {
  static const std::regex shorthand("\\b([FDCIB])\\(([0-9, ]*)\\)");
  std::string result;
  auto from = text.begin();
  int number = 0;
  for (std::sregex_iterator match(text.begin(), text.end(), shorthand), end; match != end; ++match) {
    result.append(from, (*match)[0].first);
    from = (*match)[0].second;
    const std::string letter = (*match)[1], shape = (*match)[2];
    const char* dtype = letter == "F"   ? "float32"
                        : letter == "D" ? "float64"
                        : letter == "C" ? "complex64"
                        : letter == "I" ? "int64"
                                        : "bool";
    result += "data((" + shape + (shape.empty() ? "" : ",") + "), torch." + dtype + ", (seed, " +
              std::to_string(number++) + "), kind)";
  }
  return result.append(from, text.end());
}

/// A Case of functions in the language of case files, with one call.
inline language::Case caseOfText(const std::string& functions) {
  parser::ParseOptions options;
  options.checkMainPart = false;
  return parser::parseCase("# touchstone: 1\nimport torch\n\n\n" + language::dataPreamble() + "\n\n" + functions +
                               "\n\nCALLS = [dict(inputs=\"inputs\", kind=\"uniform\")]\n",
                           options);
}

inline language::Case caseOfProgram(const AotProgram& program) {
  const std::string inputs = withData(program.inputs);
  const size_t last = inputs.rfind('\n');
  const std::string setup = last == std::string::npos ? "" : indented(inputs.substr(0, last));
  const std::string arguments = last == std::string::npos ? inputs : inputs.substr(last + 1);
  return caseOfText("def inputs(seed, kind):\n" + setup + "    return (" + arguments + ",), ()\n\n\ndef program(" +
                    program.parameters + "):\n" + indented(program.body));
}

/// Writes and views of every kind.
inline const std::vector<AotProgram>& writingPrograms() {
  static const std::vector<AotProgram> programs = {
      {"MutatedInput", "F(4, 6), F(6)", "x, y", "x.mul_(y)\nreturn x.sin()"},
      {"MutatedNonLeaf", "F(4, 6).requires_grad_() * 1, F(6).requires_grad_()", "x, y", "x.mul_(y)\nreturn x.sin()"},
      {"Select", "F(4, 6).requires_grad_(), F(6)", "x, y", "z = x * 1\nz[1].mul_(y)\nreturn z.exp(), z"},
      {"SliceOfTransposed", "F(4, 6)", "x", "x.t()[1:6:2].add_(1).mul_(3)\nreturn x * x"},
      {"BranchingViews", "F(4, 6).requires_grad_(), F(6)", "x, y",
       "z = x.sin()\na = z[0]\nb = z[:, 1:4]\na.mul_(2)\ns = b.sum()\nb.add_(y[:3])\na.add_(b[:, 1].sum())\n"
       "return z, a, s, b.exp()"},
      {"Diagonal", "F(4, 4).requires_grad_()", "x", "z = x.clone()\nz.diagonal().mul_(3)\nreturn z.mm(z)"},
      {"OffsetDiagonal", "F(3, 4)", "x", "x.diagonal(1).copy_(x.diagonal())\nreturn x * 1"},
      {"ExpandReadAfterWrite", "F(4, 1)", "x", "e = x.expand(4, 5)\nx.mul_(2)\nreturn e.sum(0), e"},
      {"ExpandWithoutRepetition", "F(4, 5)", "x", "z = x.clone()\nz.expand(1, 4, 5).mul_(2)\nreturn z.sin()"},
      {"FillExpanded", "F(4, 1)", "x", "z = x.clone()\nz.expand(4, 5).fill_(3.0)\nreturn z + 1"},
      {"ZeroExpandedInput", "F(1, 4)", "x", "x.expand(3, 4)[1].zero_()\nreturn x + 1"},
      {"MaskedFillExpanded", "F(1, 4)", "x",
       "z = x.clone()\ne = z.expand(3, 4)\ne.masked_fill_(torch.ones(3, 4, dtype=torch.bool), 2.0)\nreturn z, e"},
      {"FillOverlappingUnfold", "F(7)", "x", "z = x.clone()\nz.unfold(0, 3, 1)[1:3].fill_(3.0)\nreturn z + 1"},
      {"Unfold", "F(8).requires_grad_()", "x", "z = x * 1\nz.unfold(0, 2, 3).mul_(5)\nreturn z.exp()"},
      {"AsStrided", "F(4, 6).requires_grad_()", "x",
       "z = x * 1\nz.as_strided((3, 2), (7, 2), 1).mul_(5)\nreturn z.exp()"},
      {"AsStridedOfViewOfInput", "F(4, 6)", "x", "x[1].as_strided((2, 3), (3, 1), 2).add_(1)\nreturn x * 2"},
      {"GapOfAnInput", "F(4, 8)[:, 2:7]", "x",
       "g = x.as_strided((4, 2), (8, 1), 0)\ng.add_(1)\nx.mul_(2)\nreturn g * 2, x"},
      {"ViewOfOtherDtype", "F(4, 6)", "x", "i = x.view(torch.int32)\ni.bitwise_and_(2147483647)\nreturn x + 1, i"},
      {"ViewOfWiderDtype", "F(4, 6)", "x",
       "z = x.clone()\nd = z.view(torch.int64)\nd[:, 1].zero_()\nreturn z, d[0] * 1"},
      {"ViewOfNarrowerDtype", "I(3, 2)", "x", "n = x.view(torch.int16)\nn[:, 0].fill_(7)\nx.add_(1)\nreturn x, n * 1"},
      {"ViewAsReal", "C(3, 4).requires_grad_()", "x",
       "z = x * 1\ntorch.view_as_real(z)[:, :, 0].mul_(2)\nreturn z * z.conj()"},
      {"ViewAsComplex", "F(3, 2)", "x", "z = torch.view_as_complex(x)\nz.mul_(2j)\nreturn z + 1, x * 1"},
      {"Conj", "C(3, 4).requires_grad_()", "x",
       "z = x * 1\nc = z.conj()\nc[1].mul_(2j)\nreturn z, c, torch.imag(c) * 2"},
      {"NegativeBit", "C(4)", "x", "z = x * 1\nn = torch.imag(z.conj())\nn.add_(1)\nreturn z, n.exp(), n"},
      {"ConjOfInput", "C(4)", "x", "x.conj().add_(1j)\nreturn x * 2"},
      {"ConjInput", "C(4).conj()", "x", "x.mul_(2j)\nreturn x + 1"},
      {"RealAndImag", "C(4)", "x", "torch.real(x).add_(1)\ntorch.imag(x).mul_(3)\nreturn x * x"},
      {"Set", "F(4), F(6)", "x, y", "z = x * 2\ntorch.ops.aten.set_.source_Tensor(x, y)\nx.mul_(3)\nreturn z, x + y"},
      {"SetToFresh", "F(4)", "x",
       "z = torch.zeros(2, 3)\ntorch.ops.aten.set_.source_Tensor(x, z)\nx.add_(1)\nreturn z * 2, x"},
      {"ResizeShrinks", "F(8)", "x", "z = x * 2\nz.resize_(2, 3)\nz.add_(1)\nreturn z"},
      {"ResizeInputShrinks", "F(8)", "x", "x.resize_(2, 2)\nx.mul_(3)\nreturn x + 1"},
      {"TransposeInPlace", "F(4, 6)", "x",
       "z = x * 3\nx.t_()\nx.mul_(2)\nz.unsqueeze_(0)\nz[:, 0].add_(1)\nreturn z, x * 1"},
      {"SqueezeInPlace", "F(1, 4, 1)", "x", "x.squeeze_()\nx[1:3].add_(1)\nx.unsqueeze_(1)\nreturn x * 2"},
      {"SwapInPlace", "F(2, 3, 4)", "x", "x.transpose_(0, 2)\nx[1].mul_(2)\nx.swapaxes_(0, 1)\nreturn x + 1"},
      {"AsStridedInPlace", "F(12)", "x", "z = x * 1\nz.as_strided_((2, 3), (1, 4), 1)\nz.mul_(2)\nreturn z"},
      {"NoGradAndDetach", "F(4, 6).requires_grad_()", "x",
       "z = x * 1\nz.detach().mul_(2)\nwith torch.no_grad():\n    z[:, 1].add_(1)\nreturn z.sum(), z.detach(), z"},
      {"OverlappingInputs", "b = F(10)\nb[0:6], b[3:9]", "x, y", "x.mul_(2)\ns = y * 3\ny.add_(1)\nreturn s, x * y"},
      {"BaseAmongInputs", "b = F(5, 4)\nb.t(), b[:, 2], b", "x, y, z",
       "y.mul_(2)\nx.add_(y.sum())\nreturn x * 2, z[:, 1]"},
      {"SameTensorTwice", "b = F(4)\nb, b", "x, y", "x.mul_(2)\nreturn y * x, y"},
      {"TwoDtypesOverOneMemory", "b = F(4)\nb, b.view(torch.int32)", "x, y",
       "x.mul_(2)\ny.bitwise_and_(2147483647)\nreturn x + 1, y + 1"},
      {"PermutedInput", "F(2, 3, 4).permute(2, 0, 1)", "x",
       "z = x * 2\nx[1].add_(1)\nz[:, 0].mul_(3)\nreturn z, x.exp()"},
      {"RowGappedInput", "F(4, 8)[:, 2:7]", "x", "x.mul_(2)\nx[2].add_(1)\nreturn x + 1, x.flatten(), x.t()"},
      {"SteppedInput", "F(12)[1:12:2]", "x", "x[1:4].mul_(2)\nreturn x.sin(), x.view(2, 3)"},
      {"FlattenOfGapped", "F(4, 8)", "x", "v = x[:, 2:7]\nf = v.flatten()\nf.mul_(2)\nv.add_(1)\nreturn f, x * 1, v"},
      {"ExpandedInputRead", "F(1, 5).expand(4, 5)", "x", "return x * 2, x[1], x.clone()"},
      {"FillOverInfinity", "F(4, 6) / 0.0", "x", "z = x * 1\nz[1].fill_(2.0)\nz[2:4].zero_()\nreturn z"},
      {"CopyOfOtherDtype", "F(4, 6), D(6)", "x, y",
       "z = x * 1\nz[1].copy_(y)\nz.t()[0:2].copy_(y[:4])\nreturn z.exp()"},
      {"CopyBroadcasts", "F(3, 4), F(4), F()", "x, y, z", "x.copy_(y)\nx[1].copy_(z)\nreturn x * 1"},
      {"CopyToInteger", "I(4), F(4)", "x, y", "x.copy_(y)\nreturn x + 1"},
      {"InPlacePromotion", "F(4, 6), D(6)", "x, y", "z = x * 1\nz.add_(y)\nx.mul_(y)\nreturn z.exp()"},
      {"InPlacePromotionOfScalars", "F(4), I(4), D()", "x, y, z",
       "x.add_(y)\nx.div_(z)\ny.add_(True)\nreturn x, y * 1"},
      {"Masks", "F(4, 6), F(4, 6)", "x, y",
       "z = x * 1\nm = y > 0\nz.masked_fill_(m.clone(), 2.0)\nm.logical_not_()\nm[0].fill_(True)\n"
       "z.masked_fill_(m, 0.0)\nreturn z, m, torch.where(m, z, y)"},
      {"IndexAddAndScatter", "F(4, 6), F(2, 6)", "x, y",
       "z = x * 1\ni = torch.arange(2)\nz.index_add_(0, i, y)\nz.scatter_(0, i.view(2, 1).expand(2, 6), y)\n"
       "z.index_put_((i,), y * 2, accumulate=True)\nreturn z.sin()"},
      {"IndexPutBroadcasts", "F(4, 6), F(6), F()", "x, y, z",
       "i = torch.arange(3)\nx.index_put_((i,), y)\nx[:, 1].index_put_((i,), z)\nreturn x * 1"},
      {"ScatterValueIntoView", "F(4, 6)", "x",
       "i = torch.arange(4).view(4, 1)\nx[:, 1:5].scatter_(1, i, 7.0)\nx.t().scatter_add_(0, i, torch.ones(4, 1))\n"
       "return x * 1"},
      {"IndexCopyAndFill", "F(4, 3), F(2, 3)", "x, y",
       "i = torch.arange(2) + 1\nx.index_copy_(0, i, y)\nx.t().index_fill_(0, i, 0.5)\nreturn x + 0"},
      {"SetItem", "F(4, 6), F(6)", "x, y", "x[1] = y\nx[:, 2:4] = 1\nx[0, 0] += 2\nreturn x * 1"},
      {"ZeroDimensions", "D(), F(3)", "x, y", "s = x.sum()\nx.add_(2)\ns.mul_(x)\nreturn s, y * x, x.sum()"},
      {"ZeroElements", "F(4, 1), F(0, 3)", "x, y",
       "x[:, 0].mul_(2)\ny.add_(1)\nz = x * 1\nz[0:0].fill_(3.0)\nreturn z, y * 2"},
      {"BatchNormTraining", "F(4, 3, 5), F(3), F(3), F(3), F(3) * 0 + 1", "x, w, b, m, v",
       "return torch.batch_norm(x, w, b, m, v, True, 0.1, 1e-05, False), m * 1"},
      {"BatchNormStatisticsOfOneBuffer", "b = F(2, 3) * 0 + 1\nF(4, 3, 5), b[0], b[1]", "x, m, v",
       "return torch.batch_norm(x, None, None, m, v, True, 0.1, 1e-05, False)"},
      {"BatchNormStatisticsMadeInside", "F(4, 3)", "x",
       "b = torch.ones(2, 3)\ny = torch.nn.functional.batch_norm(x, b[0], b[1], training=True)\nreturn y, b"},
      {"BatchNormEvaluating", "F(4, 3, 5), F(3), F(3) * 0 + 1", "x, m, v",
       "return torch.batch_norm(x, None, None, m, v, False, 0.1, 1e-05, False)"},
      {"ViewsOfEachOther", "F(4, 6).requires_grad_()", "x",
       "z = x.sin()\na = z[:, 0:2]\nb = z[:, 2:4]\nb.mul_(2)\np = z.split(2, 1)\nreturn z, a, b, z.t(), p[0], p[2][:, "
       "1]"},
      {"OutputsAliasInputAndIntermediate", "F(4, 6).requires_grad_()", "x",
       "z = x * 2\nreturn x[:, 1], z[1:3], z[:, 0], x"},
      {"InPlaceChain", "F(4, 6)", "x",
       "z = x * 1\nz.mul_(2)\nz.add_(1)\nz.sigmoid_()\nreturn z, torch.layer_norm(z, (6,))"},
      {"TwoLevelsOfViews", "F(3, 4, 5)", "x",
       "z = x * 1\nz[:, 1].t()[1:4][:, 2].mul_(7)\nz.permute(2, 0, 1)[0].unsqueeze(0).sub_(1)\n"
       "z.view(12, 5)[:, 3].zero_()\nreturn z.exp()"},
      {"Factories", "F(4, 6)", "x",
       "y = torch.empty_strided((4, 6), (1, 4))\ny.copy_(x)\nz = torch.zeros(2, 4, 6)\nz[0].copy_(x)\nz[1].add_(y)\n"
       "return y, z"},
      {"RandomInPlace", "F(4, 6)", "x",
       "z = x * 1\nz[:, 1].normal_()\nz[:, 2].bernoulli_(0.5)\nz.t()[3].uniform_(2, 3)\nz[0].exponential_()\nreturn "
       "z.exp()"},
      {"RandomOnTransposedInput", "F(4, 6)", "x", "x.t().uniform_()\nreturn x * torch.rand(6)"},
      {"RandomOnGappedRows", "F(4, 12)", "x",
       "x[:, 1:6].normal_()\nx[:, ::2].bernoulli_(0.5)\nreturn x + torch.rand(1)"},
      {"NormalOnAnOddNumberOfGappedElements", "F(12, 8)", "x",
       "x[1:6:2, 1:8:2].normal_()\nz = x.t()\nz[:7, ::4].normal_(1, 2)\nreturn z, torch.randn(2)"},
      {"DropoutInPlace", "F(4, 6)", "x", "return torch.nn.functional.dropout(x, 0.5, True, True), x * 1"},
      {"MatrixInPlace", "F(4, 4), F(4, 4)", "x, y",
       "z = x * 1\nz.t().addmm_(y, y)\nz.cumsum_(0)\nz.addcmul_(y, y, value=0.5)\nz.lerp_(y, 0.3)\nreturn z"},
      {"Foreach", "F(4, 4)", "x",
       "z = x * 1\nwith torch.no_grad():\n    torch._foreach_mul_((z[0], z[2]), 2.0)\n    torch._foreach_add_((z[:, "
       "1],), "
       "(z[:, 2],))\nreturn z.exp()"},
      {"ForeachOnInputs", "F(4, 4), F(4), F(4)", "x, y, z",
       "torch._foreach_add_([x, y], [z, z], alpha=2)\ntorch._foreach_abs_([z])\nreturn x * 1"},
      {"ForeachOnPiecesThatMeet", "F(6)", "x", "torch._foreach_mul_([x[0:4], x[2:6]], 2)\nreturn x * 1"},
      {"ForeachOnOneTensorTwice", "F(4), F(4)", "x, y",
       "torch._foreach_mul_([x, x], [y, y])\ntorch._foreach_add_([y, y], [1.0, 2.0])\nreturn x + y"},
      {"ForeachThatReadsWhatItWrote", "F(4), F(4)", "x, y",
       "torch._foreach_add_([x, y], [y, x])\ntorch._foreach_copy_([x, y], [y[0:1], x[1:2]])\nreturn x * y"},
      {"ForeachByATensorThatItWrites", "F(), F(4)", "x, y",
       "torch._foreach_mul_([x, y], x)\ntorch._foreach_lerp_([y, x], [x, y[0]], 0.25)\nreturn x * y"},
      {"ForeachOnAlternateRows", "F(4, 6)", "x",
       "z = x.t()\ntorch._foreach_addcmul_([z[::2], z[1::2]], [z[1::2], z[::2]], [z[::2], z[1::2]])\nreturn z, x * 1"},
      {"ForeachOnParameters", "F(4).requires_grad_(), F(2, 2).requires_grad_(), F(4)", "x, y, z",
       "with torch.no_grad():\n    torch._foreach_add_([x, y, x], [z, z.view(2, 2), z])\nreturn x.sin(), y.exp()"},
      {"ForeachThatIsDifferentiated", "F(4).requires_grad_(), F(4).requires_grad_()", "x, y",
       "a = x * 2\nb = y * 3\ntorch._foreach_add_([a, b], [b, a])\ntorch._foreach_mul_([a[0:3], a[1:4]], 2)\n"
       "return a, b.exp()"},
      {"ForeachOverSavedValues", "F(4).requires_grad_()", "x", "z = x.exp()\ntorch._foreach_mul_([z], 2)\nreturn z"},
      {"ForeachOut", "F(4), F(4)", "x, y",
       "torch.ops.aten._foreach_add.List_out([x, y], [y, x], out=[y, x])\nreturn x * 1"},
      {"SplitIntoInputs", "F(4), F(2), F(2)", "x, y, z",
       "torch.split_with_sizes_copy(x, [2, 2], out=[y, z])\nreturn y + z"},
      {"SplitIntoPiecesOfItself", "F(6), F(4)", "x, y",
       "torch.split_with_sizes_copy(x, [2, 4], out=[x[3:5], y])\nreturn x * 1"},
      {"UnbindIntoRows", "F(2, 3), F(2, 3)", "x, y",
       "torch.unbind_copy(x, out=[y[1], y[0]])\ntorch.split_copy(y, 1, out=[x[0:1], x[0:1]])\nreturn x * y"},
      {"OutIntoView", "F(4), F(4)", "x, y", "z = torch.zeros(2, 4)\nv = z[1]\ntorch.add(x, y, out=v)\nreturn z, v"},
      {"OutPromotes", "F(4), F(4)", "x, y",
       "z = torch.zeros(2, 4, dtype=torch.float64)\nv = z[1]\ntorch.mul(x, y, out=v)\nreturn z + 1"},
      {"OutIntoInput", "F(4), F(4), F(4)", "x, y, z", "torch.sub(x, y, out=z)\nreturn z * 2"},
      {"OutOfEmpty", "F(4), F(4)", "x, y", "z = torch.empty(0)\ntorch.add(x, y, out=z)\nreturn z"},
      {"TwoOuts", "F(3, 4)", "x",
       "v = torch.zeros(3)\ni = torch.zeros(3, dtype=torch.int64)\ntorch.max(x, 1, out=(v, i))\nreturn v, i"},
      {"KeyValueCache", "F(2, 8, 3), F(2, 2, 3)", "x, y",
       "x[:, 2:4].copy_(y)\nx.index_copy_(1, torch.arange(2) + 5, y)\nreturn torch.matmul(y, x[:, 0:7].transpose(1, "
       "2))"},
      {"ReturnedItself", "F(4, 6)", "x",
       "torch.dropout(x, 0.5, False).mul_(2)\nx.contiguous()[:, 2].sub_(3)\nreturn x, x.to(torch.float32).view(-1)"},
      {"ViewOfViewOfInputs", "F(2, 3, 4)", "x", "v = x[1]\nw = v.t()\nw[2].mul_(3)\nv.add_(1)\nreturn w, v"},
      {"ManySplits", "F(6, 4)", "x",
       "a, b, c = x.chunk(3)\na.add_(b)\nc.mul_(a)\np = x.unbind(1)\np[1].zero_()\nreturn x * 1, p[0], a"},
      {"MoveAndReshape", "F(2, 3, 4)", "x",
       "x.movedim(0, 2).select(2, 1).add_(1)\nx.reshape(6, 4)[5].mul_(2)\nx.unflatten(2, (2, 2))[:, :, 0].neg_()\n"
       "x.squeeze().flatten(1)[0].exp_()\nreturn x + 0"},
      {"BroadcastAndNarrow", "F(3, 4)", "x",
       "x.narrow(1, 1, 2).add_(1)\nx.mT.mul_(2)\nb = x.broadcast_to(2, 3, 4)\nx.sub_(1)\nreturn b, b.sum()"},
      {"TrianglesInPlace", "F(4, 4)", "x",
       "x.tril_()\nx[1:].triu_(-1)\nx.clamp_(-1, 1).fill_diagonal_(5)\nreturn x * 1"},
      {"WriteOfWhatItReads", "F(6)", "x", "x[1:].add_(x[:-1] * 2)\nx[:3].copy_(x[3:])\nreturn x * 1"},
      {"StrideOfSizeOne", "F(4, 1, 3)", "x",
       "z = x.transpose(1, 2) * 1\nz.add_(1)\nw = x.as_strided((4, 1, 3), (3, 7, 1)) + 0\nw.mul_(2)\nreturn z, "
       "w.clone(), w"},
  };
  return programs;
}

} // namespace touchstone::tests
