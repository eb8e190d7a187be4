#include "graph/program/CasePrinter.h"

namespace touchstone::graph {

std::string printMainPart(const Case& theCase) {
  return R"(if __name__ == "__main__":
    import sys

    backend = sys.argv[sys.argv.index("--backend") + 1] if "--backend" in sys.argv else "aot_eager"
    compiled = program if backend == "none" else torch.compile(program, backend=backend)
    (first, _), (second, _) = (globals()[CALLS[0]["inputs"]](CALLS[0].get("seed", 0), CALLS[0].get("kind", "grid")) for _ in range(2))
    expected, actual = program(*first), compiled(*second)
    print("eager:   ", expected)
    print("compiled:", actual)
    sys.exit(0 if str(expected) == str(actual) else 1)
)";
}

} // namespace touchstone::graph
