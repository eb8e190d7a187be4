#!/usr/bin/env python3
"""Holds the folders of the C++ code against what CMake says of them. Usage: check_rooms.py [ROOT] [--graph FILE.dot] [--fix]

- Each folder's sources include what its `touchstone_room` line names under ROOMS, and nothing else; a name that no include
  needs is an error as well. `--fix` writes the lines anew.
- The arrows have no cycle; with `--graph`, neither has CMake's own picture of the targets (`cmake --graphviz`).
- Everything is declared in the namespace `touchstone::<name of the folder>`.
- Folders marked NO_ATEN include nothing of libtorch, and no folder has more than 60 source files.
"""

import argparse
import collections
import graphlib
import pathlib
import re
import sys

PRODUCT = ("base", "graph", "program", "generators", "oracles", "backends", "harness", "api")
MOST_FILES = 60
# Folders of programs and of headers for strangers: no library of their own, so no line to hold them against.
WITHOUT_ROOM = {"harness/main", "harness/fuzzers/main", "harness/fuzzers/targets", "include/touchstone"}
NAMESPACES = {"include/touchstone": {"aot", "property", "touchstone"}}
ROOM = re.compile(r"touchstone_room\((?P<folder>[^\s)]+)(?P<rest>[^)]*)\)", re.S)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
LIBTORCH = re.compile(r"^#include <(ATen|torch|c10|caffe2)/", re.M)
NAMESPACE = re.compile(r"^namespace touchstone::(\w+)", re.M)


class Room:
    def __init__(self, cmake: pathlib.Path, match: re.Match, root: pathlib.Path):
        self.cmake = cmake
        self.text = match.group(0)
        folder = match.group("folder")
        self.folder = (cmake.parent / folder).resolve().relative_to(root).as_posix()
        self.name = self.folder.split("/")[-1]
        words = match.group("rest").split()
        self.no_aten = "NO_ATEN" in words
        rooms = words[words.index("ROOMS") + 1 :] if "ROOMS" in words else []
        self.rooms = rooms[: rooms.index("LINK")] if "LINK" in rooms else rooms

    def rewritten(self, rooms: list[str]) -> str:
        """The same line with these rooms, in the order of `rooms`, broken at 120 columns."""
        rest = ROOM.fullmatch(self.text).group("rest")
        link = re.search(r"\bLINK\b.*", rest, re.S)
        words = [f"touchstone_room({ROOM.fullmatch(self.text).group('folder')}"] + (["NO_ATEN"] if self.no_aten else [])
        words += (["ROOMS", *rooms] if rooms else []) + (link.group(0).split() if link else [])
        lines = [""]
        for word in words:
            if len(lines[-1]) + 1 + len(word) > 118:
                lines.append(" ")
            lines[-1] += (" " if lines[-1] else "") + word
        return "\n".join(lines) + ")"


def sources_in(folder: pathlib.Path) -> list[pathlib.Path]:
    return sorted(path for path in folder.iterdir() if path.suffix in (".h", ".cpp", ".hpp"))


def cycle_in(arrows: dict[str, set[str]]) -> list[str] | None:
    try:
        graphlib.TopologicalSorter(arrows).prepare()
    except graphlib.CycleError as error:
        return error.args[1]
    return None


def arrows_of_graphviz(path: pathlib.Path) -> dict[str, set[str]]:
    text = path.read_text()
    names = dict(re.findall(r'"(node\d+)" \[ label = "(touchstone_\w+)', text))
    arrows = collections.defaultdict(set)
    for begin, end in re.findall(r'"(node\d+)" -> "(node\d+)"', text):
        if begin in names and end in names:
            arrows[names[begin]].add(names[end])
    return arrows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent)
    parser.add_argument("--graph", type=pathlib.Path, help="what `cmake --graphviz` wrote")
    parser.add_argument("--fix", action="store_true", help="write the ROOMS of each line as the includes are")
    options = parser.parse_args()
    root = options.root.resolve()
    errors = []

    rooms = {}
    for top in PRODUCT:
        cmake = root / top / "CMakeLists.txt"
        for match in ROOM.finditer(re.sub(r"#.*", "", cmake.read_text())):
            room = Room(cmake, match, root)
            rooms[room.folder] = room
    if len(rooms) < 40:
        errors.append(f"only {len(rooms)} folders have a touchstone_room line: the CMake files are not read as they should be")
    names = {room.name: room.folder for room in rooms.values()}
    if len(names) != len(rooms):
        errors.append("two folders have the same name, so they would share a target and a namespace")

    folders = sorted({path.parent for top in (*PRODUCT, "include") for path in (root / top).rglob("*") if path.suffix in (".h", ".cpp", ".hpp")})
    for path in sorted({path.parent for top in ("tests", "bench") for path in (root / top).rglob("*.cpp")}):
        if len(sources_in(path)) > MOST_FILES:
            errors.append(f"{path.relative_to(root)} holds {len(sources_in(path))} source files; more than {MOST_FILES} are no folder that one can read")
    arrows = {}
    for path in folders:
        folder = path.relative_to(root).as_posix()
        files = sources_in(path)
        if len(files) > MOST_FILES:
            errors.append(f"{folder} holds {len(files)} source files; more than {MOST_FILES} are no folder that one can read")
        if folder not in rooms and folder not in WITHOUT_ROOM:
            errors.append(f"{folder} has sources, and no touchstone_room line in a CMakeLists.txt")
            continue
        needed = set()
        for file in files:
            text = file.read_text()
            place = file.relative_to(root)
            needed |= {str(pathlib.PurePosixPath(name).parent) for name in INCLUDE.findall(text)}
            if folder in rooms and rooms[folder].no_aten and LIBTORCH.search(text):
                errors.append(f"{place} includes libtorch; {folder} is to do without (NO_ATEN)")
            allowed = NAMESPACES.get(folder, {folder.split("/")[-1]})
            declared = NAMESPACE.search(re.sub(r"^namespace touchstone::\w+ \{\n(?:(?:class|struct) \w+;\n)+\}", "", text, flags=re.M))
            if declared and folder in rooms and declared.group(1) not in allowed:
                errors.append(f"{place} declares touchstone::{declared.group(1)}; its folder's namespace is touchstone::{folder.split('/')[-1]}")
        if folder not in rooms:
            continue
        room = rooms[folder]
        needed = {name for name in needed if name in rooms and name != folder}
        arrows[folder] = needed
        given = {names[name] for name in room.rooms if name in names}
        for unknown in [name for name in room.rooms if name not in names]:
            errors.append(f"{room.cmake.relative_to(root)}: {folder} names {unknown}, which is no folder")
        if options.fix:
            order = list(rooms)
            text = room.cmake.read_text()
            room.cmake.write_text(text.replace(room.text, room.rewritten([rooms[name].name for name in sorted(needed, key=order.index)])))
            continue
        for name in sorted(needed - given):
            errors.append(f"{folder} includes {name}, which its touchstone_room line does not name")
        for name in sorted(given - needed):
            errors.append(f"{folder}: its touchstone_room line names {name}, which nothing in it includes")

    if found := cycle_in(arrows):
        errors.append("folders include each other in a circle: " + " -> ".join(found))
    if options.graph:
        targets = arrows_of_graphviz(options.graph)
        if len(targets) < 40:
            errors.append(f"{options.graph} shows {len(targets)} targets with arrows: not the picture of this project")
        if found := cycle_in(targets):
            errors.append("targets link each other in a circle: " + " -> ".join(found))
    print("\n".join(errors), end="\n" if errors else "")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
