# SPDX-License-Identifier: GPL-3.0-or-later
"""What CI services may rely on in SARIF 2.1.0 (OASIS, sections named below) and in JUnit's XML (the schema of Ant's
reports, the strictest in use): rules of these documents, as far as `check` writes such things at all. What it writes
beyond the objects and properties listed here is an error too, until somebody has looked it up."""
import re
import xml.etree.ElementTree
from urllib.parse import urlparse

# object: property -> (required, type); a type in lower case is JSON's, else another object; [type] is a list of it
OBJECTS = {
    "sarifLog": {"version": (True, "string"), "$schema": (False, "string"), "runs": (True, ["run"])},             # 3.13
    "run": {"tool": (True, "tool"), "results": (False, ["result"])},                                               # 3.14
    "tool": {"driver": (True, "toolComponent")},                                                                   # 3.18
    "toolComponent": {"name": (True, "string"), "version": (False, "string"), "rules": (False, ["reportingDescriptor"])},
    "reportingDescriptor": {"id": (True, "string"), "shortDescription": (False, "message"),                        # 3.49
                            "fullDescription": (False, "message"), "help": (False, "message")},
    "result": {"ruleId": (False, "string"), "level": (False, "string"), "message": (True, "message"),              # 3.27
               "locations": (False, ["location"]), "stacks": (False, ["stack"])},
    "message": {"text": (True, "string")},                                                                         # 3.11
    "location": {"physicalLocation": (False, "physicalLocation"), "message": (False, "message")},                  # 3.28
    "physicalLocation": {"artifactLocation": (True, "artifactLocation"), "region": (False, "region")},             # 3.29
    "artifactLocation": {"uri": (False, "string"), "uriBaseId": (False, "string")},                                # 3.4
    "region": {"startLine": (True, "integer")},                                                                    # 3.30
    "stack": {"message": (False, "message"), "frames": (True, ["stackFrame"])},                                    # 3.44
    "stackFrame": {"location": (False, "location"), "module": (False, "string")},                                  # 3.45
}
TYPES = {"string": str, "integer": int}
LEVELS = ("none", "note", "warning", "error")  # 3.27.10


def _problems_of_uri(place, at):
    uri, base = place.get("uri", ""), place.get("uriBaseId")
    if not uri or not re.fullmatch(r"(?:[A-Za-z0-9._~/:@!$&'()*+,;=-]|%[0-9A-F]{2})+", uri):
        yield "%s: %r is no URI" % (at, uri)
    is_absolute = bool(urlparse(uri).scheme)
    if is_absolute == (base is not None):  # 3.4.4
        yield "%s: an absolute URI has no base, a relative one has one: %s" % (at, place)
    if not is_absolute and uri.startswith("/"):
        yield "%s: %r is relative to no base" % (at, uri)


def _problems_of(kind, value, at):
    if kind in TYPES:
        if not isinstance(value, TYPES[kind]) or isinstance(value, bool):
            yield "%s: %r is no %s" % (at, value, kind)
        return
    if not isinstance(value, dict):
        yield "%s: this is no object" % at
        return
    for key, (is_required, _) in OBJECTS[kind].items():
        if is_required and key not in value:
            yield "%s: %s is missing" % (at, key)
    for key, inner in value.items():
        if key not in OBJECTS[kind]:
            yield "%s: %s has no %s" % (at, kind, key)
            continue
        wanted = OBJECTS[kind][key][1]
        if isinstance(wanted, list):
            if not isinstance(inner, list):
                yield "%s.%s: this is no list" % (at, key)
            else:
                for i, one in enumerate(inner):
                    yield from _problems_of(wanted[0], one, "%s.%s[%d]" % (at, key, i))
        else:
            yield from _problems_of(wanted, inner, "%s.%s" % (at, key))
    if kind == "artifactLocation":
        yield from _problems_of_uri(value, at)
    if kind == "region" and not value.get("startLine", 0) >= 1:  # 3.30.5
        yield "%s: lines count from 1" % at
    if kind == "result" and value.get("level", "warning") not in LEVELS:
        yield "%s: the level %r" % (at, value.get("level"))
    if kind == "message" and not value.get("text"):
        yield "%s: an empty message" % at


def sarif_problems(log):
    """What a parsed SARIF file has wrong."""
    found = list(_problems_of("sarifLog", log, "log"))
    if found:
        return found
    if log["version"] != "2.1.0":  # 3.13.2
        found.append("the version is %r" % log["version"])
    if not re.fullmatch(r"https://[^ ]*/sarif-schema-2\.1\.0\.json", log.get("$schema", "")):
        found.append("the schema is %r" % log.get("$schema"))
    for run in log["runs"]:
        ids = [rule["id"] for rule in run["tool"]["driver"].get("rules", [])]
        if len(ids) != len(set(ids)):
            found.append("a rule twice: %s" % ids)
        found += ["%r is no rule" % result.get("ruleId") for result in run.get("results", []) if result.get("ruleId") not in ids]
        found += ["a result without a place" for result in run.get("results", []) if len(result.get("locations", [])) != 1]
    return found


COUNT, DECIMAL, TOKEN = r"\d+", r"\d+(\.\d+)?", r"(?s).*\S.*"
SUITE = {"id": COUNT, "package": TOKEN, "name": TOKEN, "timestamp": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", "hostname": TOKEN,
         "tests": COUNT, "failures": COUNT, "errors": COUNT, "skipped": COUNT, "time": DECIMAL}
CASE = {"classname": TOKEN, "name": TOKEN, "time": DECIMAL}
OUTCOME = {"type": TOKEN, "message": r"(?s).*"}


def _attribute_problems(element, wanted):
    if element.attrib.keys() != wanted.keys():
        yield "%s has %s" % (element.tag, sorted(element.attrib))
    for key, pattern in wanted.items():
        if not re.fullmatch(pattern, element.get(key, "")):
            yield "%s: %s is %r" % (element.tag, key, element.get(key))


def junit_problems(text):
    """What the bytes of a file of JUnit's have wrong."""
    root = xml.etree.ElementTree.fromstring(text)
    found = [] if (root.tag, root.attrib) == ("testsuites", {}) else ["the root is %s %s" % (root.tag, root.attrib)]
    for number, suite in enumerate(root):
        found += _attribute_problems(suite, SUITE)
        if suite.tag != "testsuite" or suite.get("id") != str(number):
            found.append("suite %d is %s %s" % (number, suite.tag, suite.get("id")))
        tags = [child.tag for child in suite]
        if tags != ["properties", *["testcase"] * (len(tags) - 3), "system-out", "system-err"]:
            found.append("elements in another order: %s" % tags)
        cases = suite.findall("testcase")
        names = [(case.get("classname"), case.get("name")) for case in cases]
        if len(names) != len(set(names)):
            found.append("a case twice: %s" % names)
        for case in cases:
            found += _attribute_problems(case, CASE)
            if len(case) > 1 or any(child.tag not in ("failure", "error") or len(child) for child in case):
                found.append("%s: %s" % (case.get("name"), [child.tag for child in case]))
            for child in case:
                found += _attribute_problems(child, OUTCOME)
        for key, tag in (("failures", "failure"), ("errors", "error")):
            if suite.get(key) != str(sum(case.find(tag) is not None for case in cases)):
                found.append("%s: %s" % (key, suite.get(key)))
        if suite.get("tests") != str(len(cases)):
            found.append("tests: %s, there are %d" % (suite.get("tests"), len(cases)))
    return found
