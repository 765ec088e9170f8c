"""Statements about how things are done in a project, told from requests, wishes and complaints."""

from __future__ import annotations

import re

from .markers import ABOUT_NOW, HEDGED, PROBLEM, QUESTION
from .statements import is_request, is_symptom

LEAST_WORDS = 5
_VERB = (
    r"(?:is|are|uses?|runs?|lives?|goes|go|sits?|comes?|deploys?|keeps?|stores?|ships?|works? (?:with|on|through|"
    r"off)|has|have|holds?|"
    r"targets?|supports?|requires?|depends? on|belongs?|follows?|starts?|ends?|expects?|reads?|writes?|talks?|"
    r"listens?|points?|"
    r"serves?|happens?|needs?(?! to\b)|must|build|builds|release|releases|test|tests|host|hosts|write|merge|merges|"
    r"branch|tag|commit|"
    r"lint|format|log|migrate|manage|manages|track|tracks|pin|pins|do|does|call|name|treat|publish|push|sign|cache|"
    r"rely|squash|review)"
)
_OURS = re.compile(
    rf"(?:(?:here|currently|today|usually|by default|in (?:this|our|the) (?:project|repo|repository|codebase|team|"
    rf"company)|at work|"
    rf"in production|on staging|internally|for (?:tests?|deploys?|releases?|production|staging))[, ]+)?"
    rf"(?:we(?:'re| are) (?:on|using|running on|hosted)\b|we (?:don'?t|do not) (?:use|deploy|run|commit|push|allow|"
    rf"support|"
    rf"mock|ship|store|write|log)\b|we (?:all |always |only |still |never |usually |also |now |currently )*{_VERB}\b|"
    rf"our (?:[\w./-]+ ){{1,5}}?{_VERB}\b|(?:the|this) (?:project|repo|repository|codebase|service|team|package|"
    rf"monorepo|library)"
    rf"(?:'s (?:[\w-]+ ){{1,3}}?)? ?(?:\w+ ){{0,2}}?{_VERB}\b|this is an? \w+ (?:project|repo|service|app|"
    rf"application|monorepo|library|codebase))",
    re.I,
)
_NOUN = (
    r"(?:deploys?|deployments?|deploying|releases?|releasing|staging|production|prod|databases?|db|servers?|ci|cd|"
    r"pipelines?|builds?|"
    r"tests?|branch(?:es)?|repo(?:sitory)?|apis?|services?|clusters?|queues?|caches?|migrations?|"
    r"config(?:uration)?s?|settings|secrets?|"
    r"credentials|backend|frontend|docs|documentation|licen[cs]e|ports?|endpoints?|urls?|hosts?|schemas?|workers?|"
    r"cron(?:jobs?)?|jobs?|"
    r"logs?|metrics|backups?|dashboards?|feature flags?|versions?|dependencies|packages?|modules?|environments?|"
    r"commits?|pull requests?|"
    r"prs?|code (?:style|reviews?)|linting|types?|app|website|domain|proxy|gateway|bucket|region|runners?|images?|"
    r"containers?|payments?|"
    r"auth(?:entication)?|rollbacks?|hotfix(?:es)?|changelog|timezone|dates?|ids?|prices|amounts)"
)
_ABOUT = re.compile(
    rf"(?:the |all |every |each |any |new |most )*(?:[\w./-]+ ){{0,3}}?{_NOUN} (?:[\w./-]+ ){{0,3}}?{_VERB}\b", re.I
)
_LABELLED = re.compile(
    r"(?:our )?(?:deployments?|deploy process|release process|releases|ci|staging|production|prod|database|stack|"
    r"tech stack|"
    r"architecture|hosting|conventions?|code style|branching)(?: (?:is|are))?: \S",
    re.I,
)
# A procedure: what for, and the first step. What it is for must be named, and none of it be asked for now.
_HELD = (
    r"(?:tests?|suite|e2e|app|application|servers?|services?|workers?|clients?|docs|documentation|site|database|db|"
    r"fixtures|snapshots?|keys?|secrets?|credentials|certificates?|dependenc(?:y|ies)|lock ?file|versions?|images?|"
    r"packages?|library|cluster|staging|production|prod|environments?|stack|schema|migrations?|frontend|backend|"
    r"gateway|vpn|project|repo(?:sitory)?|containers?|pipeline|releases?|hotfix|firmware|models?|locally|"
    r"backups?|tunnel|proxy|emulator|simulator|storybook|plugin|extension|cli)"
)
_PROCESS = (
    rf"(?:(?:deploy|release|ship|publish|roll ?back|migrate|cut an? [\w-]+)(?=\s*,| to | from | an? |(?: "
    rf"[\w./-]+){{1,4}}?"
    rf" {_HELD}\b)|(?:build|test|run|start|debug|reset|regenerate|update|log in|connect|tag|upgrade|restore|"
    rf"back up|bootstrap|provision|rotate|onboard|set up|seed|profile)(?=(?: [\w./-]+){{0,4}}? {_HELD}\b))"
)
_STEP = (
    r"(?:(?:you|we|just|simply|first) )*(?:(?:run|use|call|push|merge|tag|type|open|go|execute|must|need|have|bump|cut|"
    r"trigger|dispatch|log in|ssh|start|copy|export|drain|drop|dump|restore|seed|source|activate|check ?out|pull|fetch|"
    r"install|build|compile|branch|restart)\b|(?:update|edit|set|change)\b.{3,80}?(?:,| and| then)\s+(?:then )?(?:run|"
    r"tag|push|merge|commit|deploy|restart|open|build)\b)"
)
_HOW_TO = re.compile(
    rf"to {_PROCESS}\b(?! (?:it|this|that|these|those|them)\b)[^,.]{{0,60}}, ?{_STEP}|"
    rf"for (?:an? |every |each )(?:[\w-]+ )?(?:release|deploy(?:ment)?|hotfix|rollback|migration|upgrade), ?{_STEP}|"
    r"to (?:add|create|write|make) an? [^,.]{2,40}, ?(?:(?:you|we|just|simply) )*(?:run|use|call)\b[^,]*(?:`|"
    r"\s--?\w|\w/\w|"
    r"\b(?:make|npm|pnpm|yarn|uv|cargo|python|docker|alembic|rails|django-admin|poetry)\b)|"
    r"an? (?:[\w-]+ )?(?:release|deploy(?:ment)?|hotfix|rollback|migration|upgrade) (?:works|goes) like "
    r"this: \S",
    re.I,
)
_JUST_NOW = re.compile(
    r"\b(?:now|again|today|tonight|this time|yet|tell me|let me know|show me|report back|see if|and see|please|"
    r"call it)\b|\w\(",
    re.I,
)
_WISH = re.compile(
    r"\b(?:we|you|i|it|they|this)(?:'d| would)? (?:also |really |still |just )*(?:need to|want|wish|should|have to|"
    r"could|can|might|may|"
    r"would like|are trying|are getting|are seeing|get|see|are going to|will|'ll|got|were|was|had|did|are about to|"
    r"are looking)\b|"
    r"\bwe have (?:a|an|some|the|this|another|two|three) (?:bug|problem|issue|error|failing|flaky)|\blet'?s\b|"
    r"\bsomehow\b|\bwhy\b|\bi (?:need|have)\b|\bthere, ",
    re.I,
)
_STATE = re.compile(
    r"\b(?:is|are|looks?|seems?|has been|have been) (?:now |still |currently |all |not |just |too |very |so "
    r")*(?:ready|done|finished|green|"
    r"merged|passing|good|great|fine|ok|okay|up|empty|here|there|attached|below|above|running|clear|correct|in "
    r"progress|too|small|big|"
    r"long|ugly|nice|confusing|unclear|complicated|hard|difficult|unused|duplicated?|outdated|old)\b(?! (?:on|by|to|"
    r"via|with|through|in)\b)",
    re.I,
)
_UNDER_WAY = re.compile(
    r"\b(?:is|are) (?:now |still |always |not |currently )*(?!using|missing)\w+ing\b|\bsupposed to\b|\bany "
    r"?more\b",
    re.I,
)
_REQUEST = re.compile(
    r"(?:please |now |then |and |also |first |next )*(?:add|fix|make|change|update|remove|delete|write|create|"
    r"refactor|implement|check|look|"
    r"find|run|try|use|move|rename|replace|set|put|help|show|explain|review|investigate|clean|extract|continue|"
    r"commit|push|test|build|"
    r"deploy|install|debug|figure|give|go|do|let|see|read|open|start|stop|think|tell|summari[sz]e|document|port|"
    r"convert)\b"
    r"(?!s\b)(?! (?:go|goes|is|are|run|happen|live|through|of)\b)",
    re.I,
)
_WORDS = re.compile(r"[\w'’./:@-]+")


def is_project_fact(sentence: str) -> bool:
    """Whether a sentence says how something is in the project, in the present and without doubt."""
    if len(_WORDS.findall(sentence)) < LEAST_WORDS or QUESTION.match(sentence):
        return False
    if "[redacted" in sentence:  # what it told is gone
        return False
    if HEDGED.search(sentence) or PROBLEM.search(sentence) or _STATE.search(sentence) or _UNDER_WAY.search(sentence):
        return False
    if is_symptom(sentence) or ABOUT_NOW.search(sentence):
        return False
    if _LABELLED.match(sentence) or (_HOW_TO.match(sentence) and _JUST_NOW.search(sentence) is None):
        return True
    if _WISH.search(sentence):
        return False
    return (_OURS.match(sentence) or _ABOUT.match(sentence)) is not None and not _is_request(sentence)


def _is_request(sentence: str) -> bool:
    """ "Deploy the app that …" asks; "deploys go through …" tells."""
    asks = _REQUEST.match(sentence) is not None or is_request(sentence)
    return asks and _OURS.match(sentence) is None
