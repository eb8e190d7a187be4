#include "tests/graph/ParsedFiles.h"

#include <gtest/gtest.h>

#include <string>

namespace touchstone::tests {
namespace {

TEST(CustomFunctionParserTest, ClassesAreClosed) {
  const std::string begin = "class F(torch.autograd.Function):\n";
  const std::string forward = "    @staticmethod\n    def forward(ctx, x):\n        ctx.n = 1\n        return x\n\n";
  const std::string backward = "    @staticmethod\n    def backward(ctx, g):\n        return g\n";
  const auto message = [&](const std::string& text) { return messageOf(fileWith("    return x") + text); };
  const auto refused = [&](const std::string& text, const std::string& part) {
    EXPECT_NE(message(text).find(part), std::string::npos) << text << "\n" << message(text);
  };
  EXPECT_EQ(message(begin + forward + backward), "accepted");
  EXPECT_EQ(message(begin + backward + "\n" + forward), "accepted");
  refused("class F(torch.nn.Module):\n" + forward + backward, "would be readable of any object");
  refused("class F(torch.autograd.Function, metaclass=list):\n" + forward + backward,
          "`metaclass=` of a class is refused");
  refused(begin + "    n = 3\n" + forward + backward, "unexpected `n` in a class");
  refused(begin + "    1\n" + forward + backward, "in a class");
  refused(begin + "    pass\n", "in a class");
  refused(begin + forward, "has no method `backward`");
  refused(begin + backward, "has no method `forward`");
  refused(begin + forward + forward + backward, "is there twice");
  refused(begin + forward + backward + forward, "is there twice");
  refused(begin + forward + backward + begin + forward + backward, "is there twice");
  refused("def F(x):\n    return x\n" + begin + forward + backward, "is there twice");
  refused("class range(torch.autograd.Function):\n" + forward + backward, "meaning of its own");
  refused("class __F(torch.autograd.Function):\n" + forward + backward, "meaning of its own");
  refused(begin + forward + backward + "\n    @staticmethod\n    def jvp(ctx, g):\n        return g\n", "method `jvp`");
  refused(begin + "    def forward(ctx, x):\n        return x\n" + backward, "in a class");
  refused(begin + "    @classmethod\n    def forward(ctx, x):\n        return x\n" + backward,
          "`@classmethod` is refused");
  refused(begin + "    @torch.compile\n" + forward + backward, "`@torch.compile` is refused");
  refused(begin + "    @staticmethod\n" + forward + backward, "`@staticmethod` is refused");
  const std::string once = "    @torch.autograd.function.once_differentiable\n";
  EXPECT_EQ(message(begin + forward + "    @staticmethod\n" + once + backward.substr(backward.find("    def"))),
            "accepted");
  refused(begin + forward + once + backward, "once_differentiable` is refused");
  refused(begin + "    @staticmethod\n" + once + forward.substr(forward.find("    def")) + backward,
          "is not differentiated");
  refused(begin + forward + "    @staticmethod\n    def backward(g):\n        return g\n", "does not begin with");
  refused(
      begin + forward + "    @staticmethod\n    def setup_context(ctx, inputs, output):\n        return\n" + backward,
      "beside a `setup_context`");
  const std::string plain = "    @staticmethod\n    def forward(x):\n        return x\n\n";
  refused(begin + plain + backward, "does not begin with");
  EXPECT_EQ(
      message(begin + plain +
              "    @staticmethod\n    def setup_context(ctx, inputs, output):\n        ctx.x = inputs[0]\n" + backward),
      "accepted");
  refused(begin + plain + "    @staticmethod\n    def setup_context(ctx, inputs):\n        return\n" + backward,
          "is given three things");
  refused(begin + forward + "    @staticmethod\n    def backward(ctx, g):\n        return F.apply(g)\n",
          "calls itself");
  const auto inBackward = [&](const std::string& statement, const std::string& part) {
    refused(
        begin + forward + "    @staticmethod\n    def backward(ctx, g):\n        " + statement + "\n        return g\n",
        part);
  };
  inBackward("h = ctx", "`ctx` is no value");
  inBackward("print(ctx)", "`ctx` is no value");
  inBackward("h = [ctx]", "`ctx` is no value");
  inBackward("ctx = g", "meaning of its own");
  inBackward("h = ctx.__class__", "begin with `__`");
  inBackward("h = ctx._forward_cls", "`ctx._forward_cls` is read");
  inBackward("h = ctx.next_functions", "`ctx.next_functions` is read");
  inBackward("h = ctx.n.__class__", "begin with `__`");
  inBackward("h = ctx.other", "no method of the class assigns it");
  inBackward("ctx.__class__ = 3", "cannot be assigned to");
  inBackward("ctx._n = 3", "cannot be assigned to");
  inBackward("ctx.saved_tensors = 3", "cannot be assigned to");
  inBackward("ctx.materialize_grads = False", "cannot be assigned to");
  inBackward("ctx.save_for_backward = 3", "cannot be assigned to");
  inBackward("ctx.apply(g)", "`ctx.apply` cannot be called");
  inBackward("ctx.n(g)", "`ctx.n` cannot be called");
  inBackward("ctx.register_hook(g)", "`ctx.register_hook` cannot be called");
  inBackward("ctx.__init__()", "begin with `__`");
  inBackward("h = ctx.save_for_backward", "no method of the class assigns it");
  inBackward("h = ctx[0]", "`ctx` is no value");
  inBackward("h = F", "`F` is no value");
  inBackward("h = F.backward(g)", "expected `F.apply");
}

} // namespace
} // namespace touchstone::tests
