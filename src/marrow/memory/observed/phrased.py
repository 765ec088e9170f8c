"""Turns of phrase that take more than a marker word: a way to run something, what is not to be touched, what a fault
came from, a change of course. Each leaves out what is a remark about the moment."""

from __future__ import annotations

import re

# What is said of these points to something that stands elsewhere.
_POINTING = r"(?:it|this|that|these|those|them|me|you|him|her|us|there|here|one)\b"
_MOMENT = re.compile(
    r"\b(?:yet|now|again|until|while|today|tonight|tomorrow|first|so (?:that )?(?:i|we) can|this time|for this|i said|"
    r"let me|tell me|show me|let me know|in this (?:pr|commit|change|branch|task|step|file|test|function)|as part of|"
    r"anything else|only (?:the|this|that|these|those)|"
    r"apart from|except|other than|before i|the (?:first|second|third|last|other|next|same) (?:one|"
    r"file|test|flag|way)|described)\b",
    re.I,
)
_DOUBTED = re.compile(
    r"\b(?:if|unless|whether|would|could|may|might|maybe|perhaps|probably|apparently|supposedly|presumably|seems?|"
    r"likely|depending|assuming|provided|suspect|(?:i|we|they|he|she) (?:think|believe|guess|suppose|assume|hope)|"
    r"says?|said|claims?|told|thinks|wrote|according)\b",
    re.I,
)

# "Run it as python -m pytest, plain pytest does not find the package": with a command, and why or where.
_RUN_IT = re.compile(
    r"(?:please )?(?:run|start|launch|invoke|execute|build|test|deploy|install|serve|publish|release|ship|lint|"
    r"format|compile) (?:it|this|that|them|these|those) (?:as|with|via|through|using|by|from|under|inside|in) ",
    re.I,
)
_COMMAND = re.compile(
    r"`[^`]+`|\s--?\w|\./\w|\w/\w|\b(?:python3?|npm|npx|pnpm|yarn|bun|deno|uvx?|make|just|cargo|go|docker|podman|"
    r"tox|nox|"
    r"poetry|pipenv|hatch|pytest|bundle|rake|gradle|gradlew|mvn|dotnet|kubectl|helm|terraform|fly|ruff|black|eslint|"
    r"prettier|vite|bazel|buck|nix|composer|mix|rebar3|sbt|lein|flutter|swift)\b"
)
_WHY = re.compile(
    r"(?:,|;|\s[-–—])\s*(?:because|since|as|otherwise|or (?:else|it|the|you)|not|never|plain|bare|the|"
    r"[\w./`-]+(?: [\w./`-]+){0,3}?\s(?:alone|skips?|ignores?|picks?|uses?|misses|loses|breaks|cannot|can'?t|does "
    r"?n[o']t|"
    r"do(?:es)? not|is|are))\b|\b(?:because|instead of|rather than)\b|\bfrom the (?:repo(?:sitory)? |project )?root\b|"
    r"\bin (?:this|our) (?:repo|repository|project|codebase)\b",
    re.I,
)


def is_way_to_run(order: str) -> bool:
    """ "Run it as …": how something is run here, and not only now."""
    found = _RUN_IT.match(order)
    if found is None or _MOMENT.search(order):
        return False
    rest = order[found.end() - 1 :]
    return _COMMAND.search(rest) is not None and _WHY.search(rest) is not None


# A folder, or anything below one.
_FOLDER = r"(?:`?[\w.@-]+/(?:[\w.*@/-]*)`?|[\w./-]+ (?:folder|directory|submodule))(?=[\s,.;:!`)]|\Z)"
_THINGS = r"(?:(?:any(?:thing)?|files?|code|everything|stuff|things?) (?:in|under|inside|below|of) )?"
_OUR = r"(?:the |our |any |all )*"
_NO_EDIT = re.compile(
    rf"(?:please )?(?:don'?t|don’t|do not|stop|avoid|no)\s+(?:ever )?(?:touch|edit|modify|chang|reformat|refactor|"
    rf"format)(?:e|ing)?\s+(?:(?P<folder>{_OUR}{_THINGS}{_OUR}{_FOLDER})(?!\s+(?:structure|layout|names?))|"
    rf"(?P<thing>(?!{_POINTING}|this |that |my |your )\S.*))",
    re.I,
)
# What a program writes, and a hand would spoil.
_BY_HAND = re.compile(
    r"(?:[\w./-]+ ){0,4}?(?:\S*files?|changelog|snapshots?|fixtures?|client|schema|config\w*|docs|version|migrations?|"
    r"manifest|bundle|translations?|locales?|generated|code|types|dist|database|\S+/\S*|[\w-]+\.\w{1,5})\b.{0,40}?"
    r"\b(?:by hand|manually)\b",
    re.I,
)
_NOT_OURS = re.compile(
    r"(?:[,;:]|\s[-–—(]|\bbecause|\bsince|\bas)\s*(?:it|they|that|those|these|which|who|customers|clients|[\w-]+)"
    r"(?:'s|’s|'re|’re| is| are| gets?| comes?| come| belongs?| rely| relies| depends?)\b.*?(?:generated|owned|"
    r"vendored|frozen|shared|deprecated|maintained|managed|synced|mirrored|overwritten|imported|read[- ]only|"
    r"off[- ]limits|third[- ]party|external|from|to|on|by)\b",
    re.I,
)
_HANDS_OFF = re.compile(
    rf"(?:please )?(?:(?:stay (?:out of|away from)|keep (?:your hands )?(?:off|out of|away from)|hands off) "
    rf"{_OUR}{_THINGS}"
    rf"{_OUR}{_FOLDER}|leave {_OUR}{_THINGS}{_OUR}{_FOLDER},? (?:alone|untouched|be)\b)",
    re.I,
)


def is_hands_off(text: str) -> bool:
    """What is not to be touched: a folder, or what is made or owned elsewhere. One thing at hand is this moment's."""
    if _MOMENT.search(text):
        return False
    found = _NO_EDIT.match(text)
    if found is None:
        return _HANDS_OFF.match(text) is not None
    if found["folder"]:
        return True
    return _BY_HAND.match(found["thing"]) is not None or _NOT_OURS.search(found["thing"]) is not None


_FAULT = (
    r"(?:bug|issue|problem|culprit|cause|trouble|error|failure|crash|leak|flake|flakiness|slowness|slowdown|outage|"
    r"timeout|deadlock|race|regression|hang|bottleneck)"
)
_SIMPLY = r"(?:actually|simply|just|in fact|really)"
# What it came from: something that is named, and not how far one is with it.
_CAUSE = (
    rf"(?:that (?!(?:i|you|there|nobody|someone|everyone|users?|customers?)\b|{_POINTING})|because (?:of "
    rf")?(?!{_POINTING})|"
    rf"(?:{_SIMPLY} )?(?:caused by|due to) (?!{_POINTING}|my |your )|"
    rf"(?:{_SIMPLY} )?(?:an?|the|our|two|some) (?!same|only|first|last|other|one\b|following|usual|big|huge|real|known)"
    rf"(?:[\w./'-]+ ){{1,5}}?(?:in|on|of|between|from|with|by|inside|behind|for) \w|"
    rf"(?:{_SIMPLY} )?(?:an?|the|our) (?:[\w./'-]+ ?){{1,3}}, (?:it|which|they|that) \w+ed\b)"
)
_FOUND_CAUSE = re.compile(
    rf"(?:(?:it )?turns out,? (?:that )?)?(?:(?:the|our|that|this) (?:\w+ )?{_FAULT} (?:was|were) {_CAUSE}|"
    rf"(?:the|our|those|these) (?:[\w./-]+ ){{1,4}}?(?:was|were) (?:{_SIMPLY} )?(?:caused by|due to) "
    rf"(?!{_POINTING}|my |your )|"
    rf"the reason (?:for|why|that|the) .{{3,80}}? (?:was|were) (?:that|because|an?|the|our) \w)|"
    rf"found (?:it|the {_FAULT})\s*[:–—-]+\s*(?!(?:i|you|line|in|see|at|on)\b|{_POINTING})(?:\S+ ){{4,}}|"
    rf"what (?:fixed|solved|cured|resolved) (?:(?:it|this|that) (?:was|is) (?:\S+ ){{2,}}|the \w+ (?:was|is) )\w+|"
    rf"(?:it )?turns out,? (?:that )?(?!(?:i|you|we)\b|{_POINTING})(?:[\w'./-]+ ){{1,6}}?(?:was|were|came|comes) "
    rf"(?:{_SIMPLY} )?(?:caused by|due to|because|from|pointing (?:at|to)|reading from|using|running (?:in|as|on|with)|"
    rf"hard-?coded|(?:overwritten|swallowed|shadowed|truncated|blocked|cached|dropped|cut off|evicted) by)\b",
    re.I,
)
_NO_CAUSE = re.compile(
    r"\b(?:i|you) (?:forgot|had|was|were|did)\b|\bshould\b|\b(?:me|one|now)\W*\Z|\bme being\b|,\s*(?:so |and "
    r")?(?:add|fix|change|"
    r"remove|update|revert) (?:it|this|that|them)\b",
    re.I,
)


def is_cause(text: str) -> bool:
    """What a fault came from, found out and told as such."""
    return _FOUND_CAUSE.match(text) is not None and not (_NO_CAUSE.search(text) or _DOUBTED.search(text))


# A name of a technique: it has a capital or a digit in it, or is written as names are.
_NAME = r"(?:[A-Z][\w.+#-]*|[a-z]+[A-Z]\w*|[a-z]\w*\d[\w.]*|\w+(?:[.+#]|-)\w[\w.-]*)"
_NO_TARGET = re.compile(
    rf"\b(?:from|to|onto|off|on|with|keeping|dropping|adopting|support|use) (?:the |a |an |another )*(?:{_POINTING}|"
    r"(?:next|other|different|new|old|same|previous|following|first|second|last)\b|(?:steps?|tasks?|branch(?:es)?|"
    r"files?|"
    r"tabs?|windows?|topics?|tests?|pages?|main|master|develop|production|prod|staging|plan [a-z]|phases?|parts?|"
    r"milestones?|points?|sections?|lines?|rooms?|office|class|functions?|methods?|loops?|variables?|lists?|dicts?|"
    r"tuples?|sets?|strings?|ints?|integers?|floats?|arrays?|maps?|objects?|callbacks?|columns?|left|right|top|"
    r"bottom|plan)\b)|\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|branch|prs?|mrs?|card|ticket|minutes?|hours?|"
    r"meeting|call|demo|deadline|sprint|icon|button|image|"
    r"font|logo|picture|colou?r|the plan|in the loop|in mind|in sync|an eye|on track|up to date|sight)\b|"
    r"\b(?:here|there)\W*\Z|\bin (?:this|that|these) (?!project|repo|codebase|company|team|organi)\w+|"
    r"\bfor the (?:summer|winter|spring|weekend|holidays|day|week|moment|time being|rest of)\b",
    re.I,
)
# A piece of code goes into a file; the project does not.
_FILE = re.compile(
    r"\b(?:to|onto|in|into) \S*(?:/\S|\.(?:py|tsx?|jsx?|go|rs|java|md|css|html?|json|ya?ml|toml|sql|rb|php|c|h)\b)"
)
_WE_ARE = r"(?:we(?:'re|’re| are)(?: now| all| finally| officially)?)"
_COURSE = re.compile(
    rf"{_WE_ARE} (?:switching|moving|migrating|converting|porting)(?: [\w'./-]+){{0,4}}? (?P<both>from "
    rf"(?:[\w./+#-]+ ){{1,4}}?"
    rf"(?:over )?(?:to|onto) [\w./+#-]+)|"
    rf"{_WE_ARE} (?:switching|moving|migrating|converting|porting)(?: [\w'./-]+){{0,4}}? (?:over )?(?:to|onto|off|away "
    rf"from) (?P<target>.+)|"
    rf"{_WE_ARE} (?:dropping(?: support for)?|adopting|retiring|sunsetting|deprecating|keeping|standardi[sz]ing on|"
    rf"staying (?:on|with)|sticking (?:to|with)|consolidating on) (?P<kept>.+)|"
    rf"{_WE_ARE} replacing (?P<replaced>(?:the |our )?\S+(?: \S+)? (?:with|by) (?:the |our )?\S+)|"
    r"we(?: won'?t| won’t| will not| will never|'re not going to|’re not going to| are not going to| aren'?t going to) "
    r"(?:use|support|adopt|depend on|allow|ship|rely on|introduce) (?P<refused>.+)|"
    r"let'?s not (?:use|adopt|go with|switch to|move to|migrate to|introduce|depend on|rely on) (?P<not_used>.+)|"
    r"(?:change of plans?[:,]|(?:scrap|ditch|abandon) the|"
    r"(?:we|i)(?:'ve| have)? changed (?:our|my) minds? (?:about|on)) (?P<changed>.+)",
    re.I,
)
_FOR_WHAT = re.compile(r"\b(?:for|across) (?:the |our |all |every |new )*\w{3,}|\beverywhere\b", re.I)


def is_change_of_course(text: str) -> bool:
    """A decision that is told as what we are about to do, or are not."""
    found = _COURSE.match(text)
    if found is None or _NO_TARGET.search(text) or _DOUBTED.search(text) or _MOMENT.search(text):
        return False
    if _FILE.search(text) or re.search(r"\b(?:once|when|right)\b", text, re.I):
        return False
    if found["both"]:
        return True
    target = next(part for part in found.groups() if part)
    if found["replaced"]:
        return all(re.match(rf"(?:the |our )?{_NAME}", part) for part in re.split(r" (?:with|by) ", target, maxsplit=1))
    return re.search(rf"(?<![\w.]){_NAME}", target) is not None or _FOR_WHAT.search(target) is not None
