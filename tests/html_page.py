# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages of `xalloc-report html`, read as a browser would, and the trees in them."""
import html.parser
import json
import re

from xtest import REPORT, check, check_equal, run, temp

METRICS = ("peak", "calls", "bytes", "leaked", "temporary")
VOID = {"meta", "input", "br"}


class Page(html.parser.HTMLParser):
    """What a browser would make of it: its elements, texts, and all that it would load."""

    def __init__(self, path):
        super().__init__()
        self.open, self.tags, self.loads, self.texts, self.wrong, self.ids = [], {}, [], [], [], []
        with open(path, encoding="utf-8") as file:
            self.content = file.read()
        self.feed(self.content)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.loads += [value for name, value in attrs if name in ("src", "href", "action", "data", "xlink:href")]
        self.wrong += [name for name, _ in attrs if name.startswith("on")]
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append("</%s>" % tag)

    def handle_data(self, data):
        self.texts.append((self.open[-1] if self.open else "", data))

    def text(self, tag):
        return [text for of, text in self.texts if of == tag]


def write(trace, *options, name="page.html", status=0):
    done = run([REPORT, "html", "-o", temp(name), *options, trace])
    check_equal((done.returncode, done.stderr), (status, b""), "html %s" % (options,))
    page = Page(temp(name))
    check_equal((page.open, page.wrong, page.loads), ([], [], []), "elements left open, wrong ones, what it loads")
    check_equal(len(set(page.ids)), len(page.ids), "ids")
    check("default-src 'none'" in page.content, "its policy")
    check(not re.search(r"(?<!xmlns=\")https?://", re.sub(r'id="data">.*?</script>', "", page.content, flags=re.S)), "a link")
    data, = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page.content, re.S)
    return page, json.loads(data)


def own_sums(data):
    """By path of names from the root: what is of stacks that end there."""
    nodes, paths, own = data["nodes"], [], {}
    left = [list(node[3:]) for node in nodes]
    for i, (parent, name, left_out, *sums) in enumerate(nodes):
        check(parent < i or i == 0, "node %d before its caller" % i)
        check((name < 0) == (i == 0 or left_out > 0), "node %d: a name or what it stands for" % i)
        paths.append(() if i == 0 else paths[parent] + ((data["names"][name][0] if name >= 0 else "[left out]"),))
        if i:
            left[parent] = [a - b for a, b in zip(left[parent], sums)]
    for path, sums in zip(paths, left):
        check(min(sums) >= 0, "callees have more than %s" % (path,))
        own[path] = [a + b for a, b in zip(own.get(path, [0] * len(METRICS)), sums)]
    return own
