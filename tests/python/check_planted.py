"""One planted difference of each observed property is reported as that property and no other: `check_planted.py BINARY`."""

import re
import sys

from built_binary import TESTS, results_of, touchstone


def properties():
    """The observed properties, as the documentation lists them."""
    table = (TESTS.parent / "docs" / "outcomes.md").read_text().partition("## Properties")[2]
    return re.findall(r"^\| `(\w+)`", table, re.MULTILINE)


def main():
    run = touchstone("run", TESTS / "cases" / "planted", "--json")
    rows = {row["backend"].rpartition(":")[2]: row for row in results_of(run) if ":" in row["backend"]}
    troubles = [] if run.returncode == 0 else [f"exit status {run.returncode}: {run.stderr}"]
    troubles += [f"{row['file']} {row['backend']}: {row['outcome']}" for row in results_of(run) if not row["met"]]
    for name in properties():
        row = rows.get(name)
        if row is None:
            troubles.append(f"{name}: no difference of it is planted")
        elif not row["outcome"].startswith(f"Differs/{name}/") or row["origin"] != row["backend"]:
            troubles.append(f"{name}: reported as {row['outcome']} of {row['origin']}")
        elif "also differ" in row["message"]:
            troubles.append(f"{name}: {row['message']}")
    # Two differences planted at once are both told.
    both = rows.get("values_and_strides")
    if both is None or "also differ: strides" not in both["message"]:
        troubles.append(f"values and strides together: {both}")
    print("\n".join(troubles) or f"{len(properties())} properties, each reported as what it is")
    return 1 if troubles else 0


sys.exit(main())
