"""Kills campaigns at random moments and looks whether anything that was reported is lost.

    python tools/kill_campaigns.py build/harness/touchstone --kills 200 --seed 1

Campaigns of backends that are wrong on purpose are killed with SIGKILL, and some interrupted with SIGINT, alone or two at once on one store (as two folders,
or as two shards in one folder), and resumed, until so many kills were made. After each kill the store opens and is whole;
every finding that a line of events or of the terminal has told is in it, with a case file that can be read; no cluster is
there twice. When a campaign has come to its end, its counts, findings and hits are those of the same campaign that
nobody killed. Prints one line of figures; exits 1 when something of this does not hold, and says what.
"""

import argparse
import json
import os
import pathlib
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

BACKENDS = "relu_accuracy_error_TESTING_ONLY,relu_runtime_error_TESTING_ONLY,non_leaf_compile_error_TESTING_ONLY"
TOLD = re.compile(r"^FINDING (\S+) \(", re.MULTILINE)
REPLACED = re.compile(r"^(\S+) is (\S+) now: ", re.MULTILINE)
INTERRUPTED = 0.2  # of the ends: Ctrl-C, which leaves a finding half-reduced; no kill
LIMIT = 120  # seconds for one campaign to come to its end


class Campaign:
    """One campaign with its folder, killed and resumed."""

    def __init__(self, arguments, name, folder, store, seed, shard=None):
        self.arguments, self.name, self.store, self.seed, self.shard = arguments, name, store, seed, shard
        self.folder = folder
        self.events = folder.parent / f"{name}.jsonl"
        self.terminal = folder.parent / f"{name}.txt"
        self.process = None

    def start(self):
        options = ["fuzz", "--cases", str(self.arguments.cases), "--seed", str(self.seed), "--backends", self.arguments.backends]
        options += ["--findings", str(self.folder), "--resume", str(self.folder), "--events", str(self.events)]
        options += ["--store", str(self.store), "--reduce-seconds", "1000"]
        options += ["--shard", self.shard] if self.shard else []
        with open(self.terminal, "ab") as terminal:
            self.process = subprocess.Popen(
                [self.arguments.binary, *options],
                stdout=terminal,
                stderr=terminal,
                env={**os.environ, "OMP_NUM_THREADS": "1"},
                start_new_session=True,
            )

    def has_ended(self):
        return self.process is not None and self.process.poll() is not None

    def end_by(self, number):
        """False: it had ended by itself. Ctrl-C at the very start kills it."""
        self.process.send_signal(number)
        self.process.wait(timeout=LIMIT)
        return self.process.returncode in (-number, 130 if number == signal.SIGINT else -number)

    def text_of(self, path):
        try:
            return path.read_text(errors="replace")
        except FileNotFoundError:
            return ""

    def told(self):
        """Ids of the findings that somebody could have read."""
        ids = set(TOLD.findall(self.text_of(self.terminal)))
        for line in self.text_of(self.events).splitlines():
            try:
                event = json.loads(line)
            except ValueError:  # it was killed in the midst of the line
                continue
            if event.get("event") == "finding":
                ids.add(event["id"])
        # What Ctrl-C left half-reduced is another one when the Case was reduced to its end.
        replaced = dict(REPLACED.findall(self.text_of(self.terminal)))
        return (ids | set(replaced.values())) - set(replaced)


def outcome_of(campaign):
    """What the campaign came to, by the store: outcomes, and each finding with the Cases that were seen of it."""
    with sqlite3.connect(f"file:{campaign.store}?mode=ro", uri=True) as store:
        wanted = "" if campaign.shard is None else f"[{campaign.shard.replace('/', ',')}]"
        rows = store.execute("SELECT id, options, state, cases, calls_judged FROM campaigns WHERE seed = ?", [str(campaign.seed)])
        rows = [row for row in rows if not wanted or json.dumps(json.loads(row[1])["--shard"], separators=(",", ":")) == wanted]
        if len(rows) != 1:
            return f"{len(rows)} campaigns of seed {campaign.seed} in the store, not one"
        identity, _, state, cases, judged = rows[0]
        counts = store.execute("SELECT backend, outcome, cases FROM counts WHERE campaign = ? ORDER BY 1, 2", [identity])
        seen = store.execute(
            "SELECT finding, case_index, backend, how = 'suppressed' FROM sightings WHERE campaign = ? ORDER BY 1, 2, 3", [identity]
        )
        return {"state": state, "cases": cases, "judged": judged, "counts": counts.fetchall(), "seen": seen.fetchall()}


def breaches_of(arguments, store, campaigns):
    """What does not hold right behind a kill."""
    told = {identity for each in campaigns for identity in each.told()}  # first: one that runs goes on telling
    if not store.exists():
        return [f"there is no store, and {len(told)} findings were told"] if told else []
    found = []
    with sqlite3.connect(store, isolation_level=None) as database:
        database.execute("BEGIN")  # one look: another campaign may be writing
        check = database.execute("PRAGMA quick_check").fetchall()
        if check != [("ok",)]:
            found.append(f"the store is damaged: {check}")
        rows = database.execute("SELECT id, file, hits FROM findings").fetchall()
        hits = dict(database.execute("SELECT finding, COUNT(*) FROM sightings WHERE how <> 'suppressed' GROUP BY finding"))
        if database.execute("PRAGMA foreign_key_check").fetchall():
            found.append("a row of the store names another one that is not there")
    database.close()
    files = {identity: store.parent / file for identity, file, _ in rows}
    if len(files) != len(rows):
        found.append("a finding is in the store twice")
    found += [f"{identity} has {count} hits and {hits.get(identity)} sightings" for identity, _, count in rows if hits.get(identity) != count]
    for identity in told:
        if identity not in files:
            found.append(f"{identity} was told and is not in the store")
        elif not files[identity].exists():
            found.append(f"{identity} was told and {files[identity]} is not there")
    for campaign in campaigns:
        texts = [campaign.text_of(file) for file in campaign.folder.glob("*.py")]
        named = [line for text in texts for line in text.splitlines() if line.startswith("# cluster: ")]
        if len(named) != len(set(named)):
            found.append(f"a cluster has two files in {campaign.folder}")
        error = unreadable(arguments, list(campaign.folder.glob("*.py")))
        if error:
            found.append(f"a case file cannot be read: {error}")
    return found


def unreadable(arguments, files):
    """What `print` says of files that cannot be read; empty: all can."""
    if not files:
        return ""
    run = subprocess.run([arguments.binary, "print", *map(str, files)], capture_output=True, text=True)
    # The other shard, which runs, may have replaced what Ctrl-C had left half-reduced.
    left = [file for file in files if file.exists()]
    if run.returncode == 0 or left == files:
        return run.stderr if run.returncode != 0 else ""
    return unreadable(arguments, left)


def findings_told(campaign):
    return campaign.text_of(campaign.events).count('"event":"finding"')


def wait_for_the_moment(chance, running):
    """Some time, half the times until a finding is told: the store has it then, and the state does not yet."""
    if chance.random() < 0.5:
        time.sleep(chance.uniform(0.2, 3))
        return
    before = [findings_told(each) for each in running]
    deadline = time.monotonic() + chance.uniform(2, 8)
    while time.monotonic() < deadline and not any(each.has_ended() for each in running):
        if [findings_told(each) for each in running] != before:
            time.sleep(chance.choice([0, 0, 0.001, 0.003, 0.01, 0.05]))
            return
        time.sleep(0.0002)


def finish(campaign):
    campaign.process.wait(timeout=LIMIT)
    if campaign.process.returncode not in (0, 1):  # a shard may find nothing
        return [f"{campaign.name} exits with {campaign.process.returncode}: {campaign.text_of(campaign.terminal)[-600:]}"]
    return []


def reference_of(arguments, folder, seed, shard):
    """The same campaign, and nobody kills it."""
    name = f"whole-{seed}-{(shard or 'all').replace('/', '-')}"
    campaign = Campaign(arguments, name, folder / name, folder / name / "store.sqlite", seed, shard)
    campaign.folder.mkdir()
    campaign.start()
    return campaign, finish(campaign)


def round_of(arguments, folder, number, chance, left):
    """One to two campaigns, killed until they have come to their end or enough was killed. Kills, findings, breaches."""
    folder = folder / f"round-{number}"
    folder.mkdir()
    seed = chance.randrange(1, 1000)
    kind = ["alone", "two folders", "two shards"][number % 3]
    if kind == "alone":
        place = folder / "findings"
        campaigns = [Campaign(arguments, "one", place, place / "store.sqlite", seed)]
    elif kind == "two folders":
        store = folder / "both.sqlite"
        campaigns = [Campaign(arguments, name, folder / name, store, seed + i) for i, name in enumerate(("left", "right"))]
    else:
        place = folder / "findings"
        campaigns = [Campaign(arguments, f"shard{i}", place, place / "store.sqlite", seed, f"{i}/2") for i in (1, 2)]
    store = campaigns[0].store
    for each in campaigns:
        each.folder.mkdir(exist_ok=True)
    kills, breaches = 0, []
    running = []
    for each in campaigns:
        each.start()
        running.append(each)
    while running and kills < left and not breaches:
        told = {each.name: findings_told(each) for each in running}
        wait_for_the_moment(chance, running)
        for each in [each for each in running if each.has_ended()]:
            breaches += finish(each)
            running.remove(each)
        if running:
            victim = max(running, key=lambda each: (findings_told(each) - told[each.name], chance.random()))
            number = signal.SIGINT if chance.random() < INTERRUPTED else signal.SIGKILL
            if not victim.end_by(number):
                breaches += finish(victim)
                running.remove(victim)
                continue
            kills += number == signal.SIGKILL
            breaches += breaches_of(arguments, store, campaigns)
            victim.start()
    for each in running:
        breaches += finish(each)
    breaches += breaches_of(arguments, store, campaigns)
    findings = set()
    for each in campaigns:
        whole, failed = reference_of(arguments, folder, each.seed, each.shard)
        breaches += failed
        expected, actual = outcome_of(whole), outcome_of(each)
        if actual != expected:
            breaches.append(f"{each.name} of round {number} ({kind}, seed {each.seed}) came to another end:\n  {actual}\n  instead of\n  {expected}")
        if not whole.told() <= each.told():
            breaches.append(f"{each.name}: never told: {whole.told() - each.told()}")
        findings |= each.told()
    return kills, len(findings), breaches


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=100, help="of each campaign")
    parser.add_argument("--backends", default=BACKENDS, help="separated by commas")
    parser.add_argument("--kills-a-round", type=int, default=10, help="at most; a round is one to two campaigns")
    parser.add_argument("--keep", action="store_true", help="leave the folders")
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="touchstone_kills_"))
    begin = time.monotonic()
    kills = rounds = findings = 0
    breaches = []
    while kills < arguments.kills and not breaches:
        left = min(arguments.kills - kills, arguments.kills_a_round)
        made, found, breaches = round_of(arguments, folder, rounds, chance, left)
        kills, findings, rounds = kills + made, findings + found, rounds + 1
        print(f"round {rounds}: {made} kills, {found} findings", file=sys.stderr)
    for breach in breaches:
        print(breach)
    print(f"{kills} kills in {rounds} rounds, {findings} findings, {len(breaches)} breaches, {time.monotonic() - begin:.0f} s")
    if not arguments.keep and not breaches:
        subprocess.run(["rm", "-rf", str(folder)], check=False)
    elif breaches:
        print(f"The folders are in {folder}.")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
