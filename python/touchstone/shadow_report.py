"""What the judged calls of a test session came to: one file a process, merged at the end."""

import collections
import fnmatch
import json
import os
import pathlib

_SCRIPTS = 200  # files at most that one process writes


class ShadowReport:
    """Collects the results of one process.

    folder: where `totals-WORKER.json` and a script for each differing call go. suppress: a file with a line of patterns
    `PROPERTY [WHERE [NODEID]]` for each kind of difference that is known, or None. test: gives the running test's name.
    """

    def __init__(self, folder, worker, suppress, test):
        self._folder, self._worker, self._test = pathlib.Path(folder), worker, test
        self._patterns = read_patterns(suppress) if suppress else []
        self._outcomes, self._left_out = collections.Counter(), collections.Counter()
        self._suppressed = 0
        self._differing = []
        self._seen = set()
        self._written = None

    def judged(self, call):
        """Counts a ShadowCall, and keeps it where it differs or only the compiled side raised."""
        nodeid = self._test()
        differences = [each for each in call.differences if not self._is_suppressed(each, nodeid)]
        self._suppressed += len(call.differences) - len(differences)
        if call.differences and not differences:
            self._outcomes["Suppressed"] += 1
            return
        self._outcomes[call.outcome] += 1
        if differences or call.outcome in ("BackendRejected", "InternalError", "MissingRefusal"):
            self._keep(nodeid, call, differences)

    def left_out(self, reason):
        """Counts a call that was not judged."""
        self._left_out[reason] += 1

    def write(self, compiled_seconds, shadow_seconds, ended=True):
        """Writes this process's file, or replaces it whole; `ended` says that the process's session has."""
        count = (self._outcomes.total() + self._left_out.total(), ended)
        if count == self._written:
            return
        self._written = count
        self._folder.mkdir(parents=True, exist_ok=True)
        totals = {"outcomes": self._outcomes, "left_out": self._left_out, "suppressed": self._suppressed, "differing": self._differing,
                  "compiled_seconds": compiled_seconds, "shadow_seconds": shadow_seconds, "ended": ended}
        file = self._folder / f"totals-{self._worker}.json"
        unfinished = file.with_suffix(".part")
        unfinished.write_text(json.dumps(totals, indent=1))
        os.replace(unfinished, file)

    def _is_suppressed(self, difference, nodeid):
        values = (difference.property, difference.where, nodeid)
        return any(all(map(fnmatch.fnmatchcase, values, pattern)) for pattern in self._patterns)

    def _keep(self, nodeid, call, differences):
        entry = {"test": nodeid, "outcome": call.outcome, "note": call.note, "differences": [vars(each) for each in differences]}
        kind = (nodeid, call.outcome, tuple((each.property, each.where) for each in differences))
        if kind not in self._seen and len(self._seen) < _SCRIPTS:
            self._seen.add(kind)
            entry["script"] = self._script(call, nodeid, differences)
        self._differing.append(entry)

    def _script(self, call, nodeid, differences):
        self._folder.mkdir(parents=True, exist_ok=True)
        file = self._folder / f"differs_{self._worker}_{len(self._seen)}.py"
        title = "\n".join([f"{nodeid}: {call.outcome}", *map(str, differences), call.note])
        try:
            file.write_text(call.reproduction.titled(title).script(file.with_suffix(".pt")))
        except Exception as error:
            return f"no script: {error}"
        return file.name


def read_patterns(file):
    """The patterns of a file of suppressions, three words each; what is missing in a line is `*`. Raises ValueError."""
    patterns = []
    for number, line in enumerate(pathlib.Path(file).read_text().splitlines(), 1):
        words = line.split("#", 1)[0].split(None, 2)
        if words:
            patterns.append(tuple(words + ["*"] * (3 - len(words))))
        elif line.strip() and not line.strip().startswith("#"):
            raise ValueError(f"{file}:{number}: expected PROPERTY [WHERE [NODEID]]")
    return patterns


def merged(folder):
    """The totals of all processes; `lost` names those that ended before their session did."""
    whole = {"outcomes": collections.Counter(), "left_out": collections.Counter(), "suppressed": 0, "differing": [],
             "compiled_seconds": 0.0, "shadow_seconds": 0.0, "lost": []}
    for file in sorted(pathlib.Path(folder).glob("totals-*.json")):
        one = json.loads(file.read_text())
        if not one.pop("ended"):
            whole["lost"].append(file.stem.removeprefix("totals-"))
        for name, value in one.items():
            if isinstance(whole[name], collections.Counter):
                whole[name].update(value)
            else:
                whole[name] += value
    return whole


def summary_lines(totals, folder):
    """The summary as lines of text."""
    outcomes = totals["outcomes"]
    judged = sum(outcomes.values())
    yield f"{judged} calls judged: " + (", ".join(f"{count} {name}" for name, count in outcomes.most_common()) or "none")
    compiled, shadow = totals["compiled_seconds"], totals["shadow_seconds"]
    times = f", {1 + shadow / compiled:.1f} times as long" if compiled else ""
    yield f"compiled calls took {compiled:.1f} s, judging took {shadow:.1f} s more{times}"
    for worker in totals["lost"]:
        yield f"{worker} died: what it judged up to its last whole test is counted"
    for reason, count in totals["left_out"].most_common(12):
        yield f"not judged: {count} calls: {reason}"
    by_kind = collections.defaultdict(list)
    for entry in totals["differing"]:
        kinds = {each["property"] for each in entry["differences"]} or {entry["outcome"]}
        for kind in kinds:
            by_kind[kind].append(entry)
    for kind, entries in sorted(by_kind.items()):
        yield f"{kind}: {len(entries)} calls"
        told = {}
        for entry in entries:
            told.setdefault(entry["test"], entry)
        for test, entry in list(told.items())[:20]:
            first = next((each for each in entry["differences"] if each["property"] == kind), None)
            text = f"{first['where']}: {first['text']}" if first else entry["note"]
            yield f"  {test}: {text} ({entry.get('script', 'as above')})"
    if totals["differing"]:
        yield f"scripts are in {folder}"
