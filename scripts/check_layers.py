#!/usr/bin/env python3
"""A request flows one way: net → rpc → hub → activation → store. Includes that point the other way fail."""
import pathlib
import re
import sys

MAY_INCLUDE = {
    "schema": {"schema"},
    "hub": {"hub", "schema"},
    "activations": {"hub", "schema"},  # and its own folder, see below
    "daemon": {"daemon", "hub", "schema"},
    "tests": {"tests", "daemon", "activations", "hub", "schema"},
}
EXCEPT = {"daemon/main.cpp": {"activations"}}  # the one place where the parts meet
KNOWN_BY_ALL = {"activations/arbor/arbor.hpp"}  # the other activations build on the tree's public face
HOMES = {  # libraries that are seen only where they live
    r"<boost/beast": ("daemon/net/", "daemon/cli/", "daemon/boost_", "tests/"),
    r"<(SQLiteCpp|sqlite3)": ("daemon/storage/", "tests/"),
    r"<(spawn\.h|sys/wait\.h)>": ("daemon/process/", "tests/"),
    r"<spdlog": ("hub/log.cpp", "tests/"),
    r"<toml\+\+": ("daemon/config/", "tests/"),
    r"<CLI/": ("daemon/flags.cpp", "daemon/cli/", "tests/"),
}

bad = []
root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
for path in sorted(p for top in MAY_INCLUDE for p in (root / top).rglob("*.[ch]pp")):
    here = path.relative_to(root).as_posix()
    if "node_modules" in here:
        continue
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if match := re.match(r'#include "([^"]+)"', line):
            target, top = match[1], match[1].split("/")[0]
            allowed = MAY_INCLUDE[here.split("/")[0]] | EXCEPT.get(here, set())
            own = here.startswith("activations/") and target.startswith("/".join(here.split("/")[:2]) + "/")
            if top not in allowed and not own and target not in KNOWN_BY_ALL:
                bad.append(f"{here}:{number}: may not include {target}")
        elif line.startswith("#include <"):
            for library, homes in HOMES.items():
                if re.search(library, line) and not here.startswith(homes):
                    bad.append(f"{here}:{number}: {line[9:]} lives in {', '.join(homes)}")
print("\n".join(bad), end="\n" if bad else "")
sys.exit(bool(bad))
