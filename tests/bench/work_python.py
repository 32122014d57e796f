# SPDX-License-Identifier: GPL-3.0-or-later
"""A Python program like many: text, dictionaries, JSON, objects."""
import json
import re


class Item:
    def __init__(self, number):
        self.name = "item %d" % (number * 7919 % 20000)
        self.tags = [self.name[:k] for k in range(2, 6)]


def main():
    total = 0
    for turn in range(4):
        items = [Item(i) for i in range(20000)]
        by_name = {}
        for item in items:
            by_name.setdefault(item.name, []).append({"tags": item.tags, "turn": turn})
        text = json.dumps(by_name)
        total += sum(len(value) for value in json.loads(text).values())
        total += len(re.findall(r"item 1\d+", text)) + len(" ".join(sorted(by_name)).split())
    print(total)


main()
