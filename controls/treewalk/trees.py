# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees for treewalk: the same number of files in a broad tree and in a deep one, and what is in them.

broad: 20 directories below the root, a twentieth of the files in each.
deep: a chain of 50 directories, a fiftieth of the files in each; the next directory is its last entry in order.
Names have 24 characters, so that the joined path of a file follows from its depth alone.
"""
import os

LAYOUTS = {"broad": 20, "deep": 50}
NEEDLE = "needle"
NAME_BYTES = 24


def file_name(number):
    return ("file-%06d-" % number).ljust(NAME_BYTES, "f")


def directory_name(number):
    return ("z-directory-%04d-" % number).ljust(NAME_BYTES, "d")


def directories(layout, root):
    """All but the root of a broad tree; of a deep one each holds the next."""
    if layout == "broad":
        return [os.path.join(root, directory_name(number)) for number in range(LAYOUTS[layout])]
    place, found = root, []
    for number in range(LAYOUTS[layout]):
        place = os.path.join(place, directory_name(number))
        found.append(place)
    return found


def make(layout, root, files):
    """Every 100th file holds NEEDLE, the others nothing."""
    places = directories(layout, root)
    os.makedirs(root)
    for place in places:
        os.makedirs(place)
    for number in range(files):
        path = os.path.join(places[number * len(places) // files], file_name(number))
        with open(path, "w") as file:
            if number % 100 == 0:
                file.write("some text with a %s in it\n" % NEEDLE)


def paths(root):
    """Of all files, in order; by os.walk, which treewalk does not use."""
    return sorted(os.path.join(place, name) for place, _, names in os.walk(root) for name in names)


def walked(mode, layout, root):
    """What treewalk prints in that mode."""
    found = paths(root)
    if mode in ("sort", "collect"):
        return found if mode == "collect" else None  # the order of sort is that of the tree
    if mode == "match":
        return [path for path in found if os.path.getsize(path)]
    count = sum(1 for _ in os.walk(root))
    size = 0 if mode == "enumerate" else sum(os.path.getsize(path) for path in found)
    return ["%d directories, %d files, %d bytes" % (count, len(found), size)]
