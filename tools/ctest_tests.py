"""What ctest of a build folder runs: its tests by name, and which GoogleTests their filters let through."""

import fnmatch
import json
import pathlib
import re
import subprocess


class Ctest:
    def __init__(self, build):
        cache = (pathlib.Path(build) / "CMakeCache.txt").read_text()
        ctest = re.search(r"(?m)^CMAKE_CTEST_COMMAND:\w+=(.+)$", cache)
        shown = subprocess.run([ctest[1] if ctest else "ctest", "--test-dir", str(build), "--show-only=json-v1"], capture_output=True, text=True, check=True)
        self.commands = {}
        for test in json.loads(shown.stdout)["tests"]:
            properties = {each["name"]: each["value"] for each in test.get("properties", [])}
            if not properties.get("DISABLED", False):
                self.commands[test["name"]] = test.get("command", [])
        self._listed = {}

    def runs(self, name):
        return name in self.commands

    def gtests(self, folder):
        """Suite.Test of the folder that some test of ctest runs. None: the binary is not built."""
        if folder not in self._listed:
            self._listed[folder] = self._list(folder)
        return self._listed[folder]

    def _list(self, folder):
        commands = [command for command in self.commands.values() if command and pathlib.Path(command[0]).name == f"{folder}_tests"]
        if not commands or not pathlib.Path(commands[0][0]).exists():
            return None
        patterns = [pattern for command in commands for word in command if word.startswith("--gtest_filter=") for pattern in word.partition("=")[2].split(":")]
        listed = subprocess.run([commands[0][0], "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout
        found = set()
        suite = ""
        for line in listed.splitlines():
            name = line.partition("#")[0].rstrip()
            if not name.startswith(" "):
                suite = name
            elif any(fnmatch.fnmatchcase(suite + name.strip(), pattern) for pattern in patterns):
                words = [word for word in suite.rstrip(".").split("/") if not word.isdigit()]  # PREFIX/SUITE or SUITE/NUMBER
                found.add(f"{words[-1]}.{name.strip().partition('/')[0]}")
        return found
