#include "backends/native/NativeBackends.h"

#include "backends/Registry.h"
#include "program/evaluator/Evaluator.h"
#include "program/parser/CaseParser.h"
#include "program/values/RaisedException.h"

#include <ATen/Context.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <gtest/gtest.h>

namespace touchstone::tests {
namespace {

language::Case caseOf(const std::string& body) {
  return parser::parseCase(
      "# touchstone: 1\nimport torch\n\n\ndef inputs(seed, kind):\n    return (torch.ones(3, 4),), ()\n\n\n" + body +
      "\n\nCALLS = [dict(inputs=\"inputs\")]\n");
}

struct Compiled {
  explicit Compiled(const std::string& body) : theCase(caseOf(body)) {
    native::registerNativeBackends();
    program = backends::makeBackend("eager")->compile(theCase);
  }
  values::Value call(std::vector<at::Tensor> tensors) {
    values::ValueList arguments(tensors.begin(), tensors.end());
    return (*program)(arguments);
  }
  language::Case theCase;
  std::unique_ptr<values::CompiledProgram> program;
};

TEST(EagerBackendTest, WritesReachTheCallersTensorOnce) {
  Compiled compiled("def program(x):\n    x.add_(1)\n    return x.t(), x\n");
  const at::Tensor x = at::ones({3, 4});
  const values::Value result = compiled.call({x});
  EXPECT_TRUE(at::equal(x, at::ones({3, 4}).mul(2)));
  EXPECT_EQ(result.items()->at(1).tensor().unsafeGetTensorImpl(), x.unsafeGetTensorImpl());
  EXPECT_TRUE(result.items()->at(0).tensor().is_alias_of(x));
  EXPECT_EQ(compiled.program->report().compiledRuns, 1);
}

TEST(EagerBackendTest, OtherValuesReuseTheGraphOtherSizesDoNot) {
  Compiled compiled("def program(x):\n    return x.mul(2).sum(0)\n");
  compiled.call({at::ones({3, 4})});
  const values::Value again = compiled.call({at::ones({3, 4}).mul(5)});
  EXPECT_TRUE(at::equal(again.tensor(), at::ones({4}).mul(30)));
  EXPECT_EQ(compiled.program->report().graphs, 1);
  compiled.call({at::ones({2, 2})});
  EXPECT_EQ(compiled.program->report().graphs, 2);
  EXPECT_EQ(compiled.program->report().recompiles.size(), 1u);
}

TEST(EagerBackendTest, ACallWithAnotherAliasPatternIsCapturedAgainWhereThatWasReliedOn) {
  Compiled compiled("def program(x, y):\n    x.mul_(2)\n    return x + y\n");
  compiled.call({at::ones({4}), at::ones({4})});
  const at::Tensor both = at::ones({4});
  EXPECT_TRUE(at::equal(compiled.call({both, both}).tensor(), at::ones({4}).mul(4)));
  EXPECT_EQ(compiled.program->report().graphs, 1) << "operators on the tensors themselves do not mind";
  Compiled other("def program(x, y):\n    x.mul_(2)\n    return x + y\n");
  const at::Tensor one = at::ones({4});
  other.call({one, one});
  EXPECT_TRUE(at::equal(other.call({at::ones({4}), at::ones({4})}).tensor(), at::ones({4}).mul(3)));
  ASSERT_EQ(other.program->report().recompiles.size(), 1u) << "what was one tensor is two";
  EXPECT_EQ(other.program->report().recompiles[0], "L['x'] is L['y']");
}

TEST(EagerBackendTest, ValuesThatDecideBreakTheGraph) {
  Compiled item("def program(x):\n    if x.sum().item() > 0:\n        return x.mul(2)\n    return x\n");
  item.call({at::ones({2})});
  EXPECT_EQ(item.program->report().breaks.size(), 1u);
  EXPECT_EQ(item.program->report().graphs, 2);
  Compiled truth("def program(x):\n    if x.sum() > 0:\n        return x.mul(2)\n    return x\n");
  EXPECT_TRUE(at::equal(truth.call({at::ones({2})}).tensor(), at::ones({2}).mul(2)));
  const at::Tensor negative = at::ones({2}).neg();
  EXPECT_TRUE(truth.call({negative}).tensor().is_same(negative)) << "the same graph, the other branch";
  EXPECT_EQ(truth.program->report().breaks.size(), 1u);
  Compiled index("def program(x):\n    return x.select(0, x.argmax()) + 1\n");
  EXPECT_TRUE(at::equal(index.call({at::ones({2})}).tensor(), at::ones({}).mul(2)));
  EXPECT_EQ(index.program->report().breaks.size(), 1u);
}

TEST(EagerBackendTest, AProgramThatRaisesRaisesEagersErrorAfterEagersWrites) {
  Compiled raises("def program(x):\n    x.add_(1)\n    return torch.mm(x, x)\n");
  const at::Tensor x = at::ones({3, 4});
  EXPECT_THROW(raises.call({x}), c10::Error) << "eager's own exception";
  EXPECT_TRUE(at::equal(x, at::ones({3, 4}).mul(2))) << "and what eager wrote before it, once";
}

TEST(EagerBackendTest, ANameWithoutAValueRaisesWhatItDoesInPython) {
  const auto errorOf = [](const std::string& body) {
    Compiled raises(body);
    const auto typeOf = [](const auto& call) -> std::string {
      try {
        call();
      } catch (const values::RaisedException& error) {
        return error.what();
      }
      return "nothing";
    };
    const std::string compiled = typeOf([&] { raises.call({at::ones({3, 4})}); });
    values::ValueList arguments{at::ones({3, 4})};
    EXPECT_EQ(compiled, typeOf([&] { (*evaluator::eagerProgram(raises.theCase))(arguments); })) << body;
    return compiled.substr(0, compiled.find(':'));
  };
  EXPECT_EQ(errorOf("def program(x):\n    if 0:\n        y2 = x\n    return x * 2 + y2\n"), "UnboundLocalError");
  EXPECT_EQ(errorOf("def program(x):\n    z = x * 2\n    del x\n    return z + x\n"), "UnboundLocalError");
  EXPECT_EQ(errorOf("def inner(x):\n    if x.dim() == 9:\n        w = x\n    return w\n\n\n"
                    "def program(x):\n    return inner(x) + 1\n"),
            "UnboundLocalError");
}

TEST(EagerBackendTest, ACallThatRaisesDoesNotStandInTheWayOfOthers) {
  Compiled compiled("def program(x):\n    x.mul_(2)\n    return x + 1\n");
  compiled.call({at::ones({2})});
  EXPECT_THROW(compiled.call({at::ones({2}).requires_grad_()}), c10::Error) << "a leaf is not written in place";
  compiled.call({at::ones({2})});
  EXPECT_EQ(compiled.program->report().graphs, 1);
  EXPECT_EQ(compiled.program->report().frames, 2) << "the break was made for leaves that require grad";
  EXPECT_EQ(compiled.program->report().compiledRuns, 2);
}

TEST(EagerBackendTest, AFunctionWithABreakIsCodeOfItsOwnHoweverItIsCalled) {
  for (const char* call : {"f(x, y)", "f(x, b=y)", "f(b=y, a=x)", "f(*[x, y])", "f(x, *(y,))"}) {
    Compiled compiled(
        "def f(a, b):\n    c = a - b\n    torch._dynamo.graph_break()\n    return c * 3\n\n\n"
        "def program(x, y):\n    r = " +
        std::string(call) + "\n    return r + 1\n");
    EXPECT_TRUE(at::equal(compiled.call({at::ones({2}).mul(3), at::ones({2})}).tensor(), at::ones({2}).mul(7))) << call;
    EXPECT_EQ(compiled.program->report().graphs, 3) << call;
  }
  Compiled wrong(
      "def f(a, b):\n    torch._dynamo.graph_break()\n    return a\n\n\n"
      "def program(x):\n    r = f(x, x, b=x)\n    return r\n");
  EXPECT_THROW(wrong.call({at::ones({2})}), values::RaisedException);
}

TEST(EagerBackendTest, ALeafThatIsUsedAndThenTurnedIsRefused) {
  const std::string turn = "    with torch.no_grad():\n        x.t_()\n";
  const at::Tensor leaf = at::ones({3, 2}).requires_grad_();
  EXPECT_THROW(Compiled("def program(x):\n    y = x.sum(0)\n" + turn + "    return x.contiguous()\n").call({leaf}),
               ir::Unsupported);
  Compiled unused("def program(x):\n" + turn + "    return x.contiguous()\n");
  EXPECT_EQ(unused.call({at::ones({3, 2}).requires_grad_()}).tensor().size(0), 2) << "nothing hangs on a lifetime";
}

TEST(EagerBackendTest, CapturingDrawsNoRandomNumbersOfItsOwn) {
  Compiled compiled("def program(x):\n    return torch.rand_like(x)\n");
  at::manual_seed(3);
  const at::Tensor expected = at::rand({4});
  at::manual_seed(3);
  EXPECT_TRUE(at::equal(compiled.call({at::ones({4})}).tensor(), expected));
}

} // namespace
} // namespace touchstone::tests
