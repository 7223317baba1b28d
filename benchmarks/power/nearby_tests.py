"""Which tests would notice a fault in a module, the most likely first?"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import grimp

PRODUCT, TESTS = "data_juicer_ext", "tests"
SAME_FOLDER, ELSEWHERE = 15, 12  # at most so many test modules
LAST = 1000
NEAR = 2  # a test of another package imports the module, or something that does; one further away is the last resort


class NearbyTests:
    """The tests of a tree, and what they import, directly and by the modules between."""

    def __init__(self, tree: Path) -> None:
        self.tree = tree
        sys.path.insert(0, str(tree))
        self.graph = grimp.build_graph(PRODUCT, TESTS, cache_dir=None, exclude_type_checking_imports=True)
        self.texts = {test: test.read_text(encoding="utf-8") for test in tree.joinpath(TESTS).rglob("test_*.py")}

    def stages(self, path: Path) -> list[list[str]]:
        """Test modules of the module at `path` (relative to the tree): its own, then its folder's, then others'."""
        own, home, reach = self.own(path), self.folder_of(path), self.distances(path)
        nearest = sorted(set(reach) - set(own), key=lambda test: (reach[test], test))
        # Tests at the top are of whole runs, and take minutes: they are no folder's own.
        same = [test for test in nearest if test.parent == home != self.tree / TESTS]
        siblings = [test for test in nearest if test.parent != home and self.package(test) == self.package(home)]
        far = [test for test in nearest if self.package(test) != self.package(home)]
        if own or same or siblings:
            far = [test for test in far if reach[test] <= NEAR]
        stages = [own, same[:SAME_FOLDER], [*siblings, *far][:ELSEWHERE]]
        return [[str(test.relative_to(self.tree)) for test in stage] for stage in stages if stage]

    def own(self, path: Path) -> list[Path]:
        """The tests that are named for the module: where its folder is mirrored, else anywhere."""
        home = self.folder_of(path)
        named = [test for test in sorted(self.texts) if is_named_for(test, path)]
        within = [test for test in named if test.parent == home] or [test for test in named if home in test.parents]
        return within or (named if "_" in path.stem else [])

    def package(self, place: Path) -> tuple[str, ...]:
        """The package, just below the top, that a test module or its folder is for."""
        return place.relative_to(self.tree / TESTS).parts[:1]

    def folder_of(self, path: Path) -> Path:
        """Where the tests mirror the module's folder, or the nearest folder above that there is."""
        place = self.tree / TESTS / path.parent.relative_to(PRODUCT)
        while not place.is_dir():
            place = place.parent
        return place

    def distances(self, path: Path) -> dict[Path, int]:
        """How far the tests are that the module reaches.

        1: they import the module, or say its name; 2: they import one that does, or are named for it; and so on. Tests
        of the same folder that start processes (`host`) come last: what these import is not seen.
        """
        home = self.folder_of(path)
        found = {test: LAST for test, text in self.texts.items() if test.parent == home and "pytest.mark.host" in text}
        found |= {test: 1 for test, text in self.texts.items() if "_" in path.stem and path.stem in text}
        for name, far in self.users(".".join(path.with_suffix("").parts).removesuffix(".__init__")).items():
            place = self.tree.joinpath(*name.split(".")).with_suffix(".py")
            if place in self.texts:
                found[place] = min(far, found.get(place, far))
            elif name.startswith(f"{PRODUCT}."):
                for test in self.own(place.relative_to(self.tree)):
                    found[test] = min(far + 1, found.get(test, far + 1))
        return found

    def users(self, module: str) -> dict[str, int]:
        """All modules of product and tests that use `module`: 1 if they import it, 2 with one between, ..."""
        ring, found = {module}, {module: 0}
        while ring:
            far = 1 + max(found.values())
            ring = {user for each in ring for user in self.graph.find_modules_that_directly_import(each)} - set(found)
            found |= dict.fromkeys(ring, far)
        return found


def is_named_for(test: Path, module: Path) -> bool:
    """Whether the test is named for the module: `test_text` or `test_offline_text` for `text`."""
    stem = module.parent.name if module.stem == "__init__" else module.stem
    return test.stem == f"test_{stem}" or test.stem == f"test_{module.parent.name}_{stem}"


def concerns_ray(tree: Path, path: Path) -> bool:
    """Whether only tests on Ray run the module."""
    source = (tree / path).read_text(encoding="utf-8")
    return bool(re.search(r"^\s*(import|from) ray\b", source, re.M)) or "ray" in path.stem.split("_")
