#include "program/evaluator/Modules.h"
#include "program/parser/LanguageNames.h"
#include "tests/graph/PythonComparison.h"

namespace touchstone::tests {
namespace {

using comparison::ComparedCase;

// A module built under a seed, called in training and then in evaluation.
ComparedCase built(const std::string& name, const std::string& constructor, const std::string& input,
                   const std::string& use = "m(x)") {
  return {name,
          "def inputs(seed, kind):\n"
          "    torch.manual_seed(seed)\n"
          "    m = torch.nn." +
              constructor +
              "\n"
              "    x = " +
              input +
              "\n"
              "    return (m, x), ()\n\n\n"
              "def program(m, x):\n"
              "    torch.manual_seed(3)\n"
              "    a = " +
              use +
              "\n"
              "    m.eval()\n"
              "    return a, " +
              use + "\n"};
}

std::string floats(const std::string& shape) {
  return "data(" + shape + ", torch.float32, (seed, 0), kind).requires_grad_()";
}

std::vector<ComparedCase> constructorCases() {
  const std::string image = floats("(2, 4, 5, 6)");
  const std::string rows = floats("(3, 4)");
  const std::string sequence = floats("(5, 2, 3)");
  return {
      built("linear", "Linear(4, 3)", rows),
      built("linearNoBias", "Linear(4, 3, bias=False)", rows),
      built("linearDouble", "Linear(4, 3, dtype=torch.float64)", rows + ".double()"),
      built("conv1d", "Conv1d(4, 6, 3, padding=1, groups=2)", floats("(2, 4, 7)")),
      built("conv2d", "Conv2d(4, 3, (3, 2), stride=2, dilation=(1, 2))", image),
      built("conv2dSame", "Conv2d(4, 3, 3, padding=\"same\", bias=False)", image),
      built("conv2dReflect", "Conv2d(4, 3, 3, padding=(1, 2), padding_mode=\"reflect\")", image),
      built("conv2dSameCircular", "Conv2d(4, 3, 3, padding=\"same\", padding_mode=\"circular\")", image),
      built("conv3d", "Conv3d(2, 2, 2)", floats("(1, 2, 3, 4, 3)")),
      built("batchNorm1d", "BatchNorm1d(4)", rows),
      built("batchNorm2d", "BatchNorm2d(4, momentum=0.3)", image),
      built("batchNorm3d", "BatchNorm3d(2)", floats("(2, 2, 3, 2, 2)")),
      built("batchNormCumulative", "BatchNorm2d(4, momentum=None)", image),
      built("batchNormNoStatistics", "BatchNorm2d(4, track_running_stats=False)", image),
      built("batchNormNoScale", "BatchNorm1d(4, affine=False)", rows),
      built("batchNormWrongInput", "BatchNorm2d(4)", rows),
      built("batchNorm1dWrongInput", "BatchNorm1d(4)", image),
      built("instanceNorm2d", "InstanceNorm2d(4)", image),
      built("instanceNorm2dTracked", "InstanceNorm2d(4, affine=True, track_running_stats=True)", image),
      built("instanceNorm2dUnbatched", "InstanceNorm2d(4)", floats("(4, 3, 3)")),
      built("layerNorm", "LayerNorm(4)", rows),
      built("layerNormShape", "LayerNorm((5, 6), elementwise_affine=False)", image),
      built("layerNormNoBias", "LayerNorm([4], eps=0.1, bias=False)", rows),
      built("groupNorm", "GroupNorm(2, 4)", image),
      built("embedding", "Embedding(5, 3)", "torch.tensor([[0, 1], [4, 1]])"),
      built("embeddingPadding", "Embedding(5, 3, padding_idx=-1)", "torch.tensor([0, 4, 4])"),
      built("embeddingMaxNorm", "Embedding(5, 3, max_norm=0.5)", "torch.tensor([0, 2])"),
      built("dropout", "Dropout(0.3)", rows),
      built("dropoutInPlace", "Dropout(p=0.5, inplace=True)", "data((3, 4), torch.float32, (seed, 0), kind)"),
      built("relu", "ReLU()", rows),
      built("reluInPlace", "ReLU(inplace=True)", rows + " * 2"),
      built("gelu", "GELU(approximate=\"tanh\")", rows),
      built("sigmoid", "Sigmoid()", rows),
      built("tanh", "Tanh()", rows),
      built("identity", "Identity()", rows),
      built("maxPool2d", "MaxPool2d(2)", image),
      built("maxPool2dIndices", "MaxPool2d((2, 3), stride=1, padding=1, return_indices=True)", image),
      built("avgPool2d", "AvgPool2d(2, padding=1, count_include_pad=False)", image),
      built("lstm", "LSTM(3, 4)", sequence),
      built("lstmDeep", "LSTM(3, 4, num_layers=2, bidirectional=True, dropout=0.5)", sequence),
      built("lstmProjected", "LSTM(3, 4, proj_size=2, batch_first=True)", sequence),
      built("lstmUnbatched", "LSTM(3, 4, bias=False)", floats("(5, 3)")),
      built("lstmState", "LSTM(3, 4)", sequence, "m(x, (torch.ones(1, 2, 4), torch.zeros(1, 2, 4)))"),
      built("lstmWrongState", "LSTM(3, 4)", sequence, "m(x, (torch.ones(1, 3, 4), torch.zeros(1, 2, 4)))"),
      built("lstmWrongInput", "LSTM(3, 4)", rows),
      built("gru", "GRU(3, 4, num_layers=2)", sequence),
      built("gruState", "GRU(3, 4)", sequence, "m(x, hx=torch.ones(1, 2, 4))"),
      built("gruUnbatchedState", "GRU(3, 4)", floats("(5, 3)"), "m(x, torch.ones(1, 4))"),
      built("gruWrongState", "GRU(3, 4)", sequence, "m(x, torch.ones(1, 4))"),
      built("rnn", "RNN(3, 4, nonlinearity=\"relu\")", sequence),
      built("rnnTanh", "RNN(3, 4, 1, batch_first=True)", sequence),
      built("missingArgument", "Linear(4, 3)", rows, "m()"),
      built("wrongKeyword", "Linear(4, 3)", rows, "m(x, other=1)"),
      built("wrongShape", "Linear(5, 3)", rows),
      built("attributes", "Conv2d(4, 3, 3)", image, "(m.training, m.in_channels, m.groups, m.weight.shape)"),
  };
}

ComparedCase recorded(const char* name, const char* body) {
  std::string text =
      "def inputs(seed, kind):\n"
      "    m = torch.nn.Module()\n"
      "    m.weight = torch.nn.Parameter(data((2, 3), torch.float32, (seed, 0), kind))\n"
      "    m.register_buffer(\"count\", torch.zeros(1))\n"
      "    m.scale = 3\n"
      "    m.inner = torch.nn.Module()\n"
      "    m.inner.bias = torch.nn.Parameter(data((3,), torch.float32, (seed, 1), kind))\n"
      "    m.inner.register_parameter(\"none\", None)\n"
      "    x = data((2, 3), torch.float32, (seed, 2), kind)\n"
      "    return (m, x), ()\n\n\n"
      "def program(m, x):\n";
  std::istringstream lines(body);
  for (std::string line; std::getline(lines, line);) {
    text += "    " + line + "\n";
  }
  return {name, text};
}

std::vector<ComparedCase> recordCases() {
  return {
      recorded("read", "return (x * m.weight + m.inner.bias) * m.scale, m.count, m.training"),
      recorded("writeBuffer", "m.count.add_(1)\nm.count = m.count + 1\nreturn x"),
      recorded("writePlain", "m.scale = 5\nm.other = x\nreturn m.scale, m.other"),
      recorded("augmentedField", "m.scale += 2\nm.count += 1\nreturn m.scale, m.count"),
      recorded("newParameter", "m.weight = torch.nn.Parameter(x)\nreturn (m.weight * 2).sum()"),
      recorded("parameterOfAnother", "m.inner.bias = m.weight\nreturn m.inner.bias is m.weight"),
      recorded("parameterWithoutGradient", "m.p = torch.nn.Parameter(x, requires_grad=False)\nreturn m.p * 2"),
      recorded("tensorAsParameter", "m.weight = x"),
      recorded("noneAsParameter", "m.weight = None\nreturn m.weight"),
      recorded("numberAsBuffer", "m.count = 5"),
      recorded("noneAsBuffer", "m.count = None\nreturn m.count"),
      recorded("numberAsModule", "m.inner = 5"),
      recorded("moduleOverModule", "m.inner = torch.nn.ReLU()\nreturn m.inner(x)"),
      recorded("bufferTwice", "m.register_buffer(\"count\", x)\nreturn m.count"),
      recorded("bufferOverParameter", "m.register_buffer(\"weight\", x)"),
      recorded("bufferOfNumber", "m.register_buffer(\"b\", 5)"),
      recorded("parameterOfTensor", "m.register_parameter(\"p\", x)"),
      recorded("train",
               "m.eval()\na = m.inner.training\nm.train()\nreturn a, m.inner.training, m.train(False).training"),
      recorded("trainNotBool", "m.train(5)"),
      recorded("call", "return m(x)"),
      recorded("missing", "return m.nothing"),
      recorded("parameters", "return list(m.parameters())"),
      recorded("requiresGrad", "m.requires_grad_(False)\nreturn m.weight.requires_grad, m.inner.bias.requires_grad"),
      recorded("zeroGrad",
               "(m.weight * x).sum().backward()\na = m.weight.grad\nm.zero_grad()\nreturn a, m.weight.grad"),
      recorded("zeroGradKept", "(m.weight * x).sum().backward()\nm.zero_grad(set_to_none=False)\nreturn m.weight.grad"),
      recorded("parameterOfInts", "return torch.nn.Parameter(torch.arange(3))"),
      recorded("parameterIsAlias", "p = torch.nn.Parameter(x)\nx.add_(1)\nreturn p, p.is_leaf"),
      recorded("hookOnParameter", "m.weight.retain_grad()\nreturn m.weight * 2"),
      recorded("notIterable", "for i in m:\n    pass"),
  };
}

const comparison::PythonComparison& pythonModules() {
  static const comparison::PythonComparison comparison(
      "modules", {{"constructors", constructorCases()}, {"records", recordCases()}});
  return comparison;
}

TEST(ModulesTest, constructorsAndForwardsAreThoseOfPython) {
  pythonModules().compare("constructors");
}
TEST(ModulesTest, recordsBehaveAsInPython) {
  pythonModules().compare("records");
}

TEST(ModulesTest, knowsEveryConstructorOfTheLanguage) {
  for (const std::string& name : parser::kModuleConstructors) {
    EXPECT_TRUE(name == "Module" || name == "Parameter" || evaluator::findModuleType(name)) << name;
  }
}

} // namespace
} // namespace touchstone::tests
