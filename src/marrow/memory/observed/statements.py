"""Plain statements about the project, its people and its rules: told, not asked for, and true beyond the task."""

from __future__ import annotations

import re

from .markers import ABOUT_NOW, HEDGED, PROBLEM, QUESTION

LEAST_WORDS = 3
SUBJECT_MAX = 8
_WORDS = re.compile(r"[\w'’./:@+#<>`%-]+")
# A sentence that begins so names nothing, or speaks of the speaker, the listener or the moment.
_UNNAMED = re.compile(
    r"(?:can|could|do|does|did|is|are|was|were|should|would|will|shall|may|this|that|it|its|it's|these|those|they|"
    r"them|he|she|there|here|i|i'm|i've|i'll|i’m|you|you're|your|my|me|what|"
    r"who|which|when|while|if|because|since|as|after|before|once|same|such|so|then|both|neither|one|ones|something|"
    r"someone|everything (?:is|works|looks)|nothing|nobody|all good|not|no|yes|ok|nice|good|great|cool|sorry|"
    r"sounds?|looks?|seems?|works?|happens?|occurs?|appears?|fails?|breaks?|crashes|"
    r"got|getting|seeing|still|almost|even|only|more|less|let|let's|with|without|for|from|in|on|at|to|by|of|about|"
    r"next(?: up)?|some (?:day|time|of)|the (?:first|second|third|last|other|left|right|next|latter|former|same|above) "
    r"(?:one|option|way|thing|approach)|(?:first|second|last) one|don'?t|don’t|do not)"
    r"(?![\w./-])",
    re.I,
)
# What someone wants done, by the verb that it begins with.
_REQUEST = re.compile(
    r"(?:please |now |then |and |also |first |next |just |go and |let me |do )*(?:add|fix|make|change|update|remove|"
    r"delete|write|create|refactor|implement|check|look|find|run|rerun|try|use|move|rename|replace|set|put|help|show|"
    r"explain|review|investigate|clean|extract|continue|commit|push|test|build|deploy|install|debug|figure|give|go|do|"
    r"let|see|read|open|start|stop|think|tell|summari[sz]e|document|port|convert|bump|split|wire|redo|undo|revert|"
    r"merge|tag|release|ship|keep|have|leave|take|bring|drop|turn|switch|apply|handle|inline|simplify|paginate|"
    r"restart|adjust|align|rebase|squash|search|list|print|compare|verify|ensure|generate|hook|pull|wait|finish|skip|"
    r"ignore|call|format|lint|log|cache|migrate|rewrite|reduce|increase|raise|lower|pass|return|sort|hide|mock|cover)"
    r"(?=\s+(?:the|a|an|it|this|that|these|those|them|me|us|my|our|your|all|some|any|every|each|in|into|out|up|at|for|"
    r"to|with|on|from|off|over|by|and|another|one|two|three|more|type|tests?|ahead|back|sure|[\w./-]+\.\w{1,4}|\w+s)\b|"
    r"\W*\Z)|"
    r"(?:please |now |then |and |also |first |next |just )*(?:rename|move|change|convert|port|replace|turn|split) "
    r"[\w.`'-]+ (?:to|into|onto|with|by|as)\b",
    re.I,
)
# "Releases go out", "tests run": the first word is what is spoken of, for a verb in the present follows it.
_PLURAL_SUBJECT = re.compile(
    r"(?:\w+ ){0,2}?\w+s (?:are|go|run|get|have|need|happen|follow|use|live|come|must|expire|start|end|belong)\b", re.I
)
_DOUBT = re.compile(
    r"\b(?:probably|apparently|supposedly|i (?:think|believe|guess|suppose|assume|hope|feel)|some ?day|one day|likely|"
    r"may|could|should|would|seems?|looks? like|as if|kind of|sort of|if only|soon|eventually|ideally|wish)\b",
    re.I,
)
# The moment at hand: what is said of it will not hold tomorrow.
_MOMENT = re.compile(
    r"\b(?:right now|just now|at the moment|today|yesterday|this (?:morning|afternoon|evening|time)|last night|tonight|"
    r"suddenly|again|still|sometimes|randomly|somehow|since (?:yesterday|today|monday|the|my|last|this|i|we)|already|"
    r"(?:when|if|whenever|after|before|once|until) i|i (?:get|see|want|need|have|changed|ran)|does nothing|duplicates?|"
    r"twice|too (?:many|much|long|big|small|early|late)|expected|instead of|but (?:it|the|should|not|we get|i)|"
    r"(?:up|down) at \d+ ?%|100 ?%|[a-z]+ now\W*\Z|now\W*\Z|let me|asap)\b",
    re.I,
)
_SECRET = re.compile(r"\[redacted|\b(?:password|passphrase|pin)s? (?:is|are|=|:)|\b[A-Z][A-Z0-9_]{3,}=\S", re.I)
_NO_TROUBLE = re.compile(
    r"\b(?:errors?|exceptions?|failures?|crash(?:es)?|crash reports?|bugs?|leaks?) (?:go|are (?:reported|sent|logged|"
    r"tracked|collected|filed|handled|triaged)|land|end up)\b|\btimeouts? (?:is|are|of|for)(?= [\w ]{0,30}\d)|"
    r"\b(?:gateway|request|session|lock|read|connection|query) timeouts?\b(?=.* \d)",
    re.I,
)
_PEOPLE_DO = (
    r"(?:owns?|approves?|maintains?|manages?|leads?|handles?|decides?|reviews?|looks? after|takes? care of|"
    r"signs? off|is (?:our|the|in charge|responsible|on call|head)|are (?:our|the|in charge|responsible|on call)|"
    r"(?:has|have|needs?) to (?:sign|approve|review|agree|confirm|ok|okay|see|check|be asked|be told|know|"
    r"release|decide)\b|must (?:sign|approve|review|agree|confirm|be asked|see)|does (?:all|the|our)|"
    r"do (?:all|the) |is allowed to|are allowed to|has (?:the|access|admin)|knows? (?:the|about|how|all))"
)
_BY_PEOPLE = re.compile(
    r"\b(?:must|has to|have to|needs? to) be (?:approved|reviewed|signed(?: off)?|agreed|confirmed|checked|released|"
    r"announced)\b.*\b(?:by|with|before)\b|\b(?:approved|owned|maintained|managed|reviewed|run|handled|signed off|"
    r"agreed|hosted|operated|paid for|built|made|written|generated|done) (?:only )?(?:by|with)\b",
    re.I,
)
_ASK_SOMEONE = re.compile(
    r"(?:please )?(?:ask|check with|talk to|ping|consult|speak to|go through|contact|cc)\s+(?:[A-Z][\w'’-]+|(?:the )?"
    r"\w+ team|ops|legal|sales|support|security|finance|marketing)\b[^?]{0,120}?\b(?:if|before|when|whenever|about|"
    r"first|"
    r"for|on)\b",
)
_REPLACED = re.compile(
    r"(?:[\w./`:-]+ ){1,5}(?:(?:has |have )?replaced|replaces|supersedes?|superseded|took over (?:from|for)|"
    r"is the successor (?:of|to))\s+\S",
    re.I,
)
_WE_DID = re.compile(
    r"we(?:'ve| have|’ve)? (?:all |just |already |now |recently |finally |once )*(?:got rid of|moved (?:away|from|"
    r"to|off|"
    r"over|every|all|our|the)|switched (?:to|from|over|away)|migrated|dropped|replaced|retired|deprecated|abandoned|"
    r"stopped (?:using|supporting)|no longer|rolled .{2,60} back|tried .{3,}\b(?:but|and|once|before)|banned|renamed|"
    r"outsourced|standardi[sz]ed on)\b",
    re.I,
)
_VERB = re.compile(
    r"(?:is|are|isn'?t|aren'?t|has|have|must|uses?|runs?|lives?|goes|go|gets?|happens?|requires?|needs?|owns?|belongs?|"
    r"follows?|starts?|ends?|begins?|opens?|closes?|expires?|renews?|resets?|changes|rotates?|talks?|listens?|"
    r"points?|depends?|supports?|"
    r"accepts?|allows?|limits?|holds?|keeps?|stores?|ships?|deploys?|syncs?|comes?|reads?|writes?|expects?|serves?|"
    r"targets?|mirrors?|wraps?|costs?|pays?|bills?|charges?|covers?|consists?|contains?|means|sits?|refuses?|cannot|"
    r"stays?|takes?|lasts?|caches?|retries|arrives?|applies|apply|counts?|generates?|produces?|sends?|receives?|"
    r"publishes|publish|only|never|"
    r"always|automatically|usually|by)\Z",
    re.I,
)
_CONCRETE = re.compile(
    r"\d|`|[\w]/[\w]|\w\.[a-z]{2,4}\b|\w_\w|\b[a-z]+[A-Z]\w*|(?<=[a-z,] )[A-Z][\w.-]+|"
    r"\b(?:every|each|nightly|daily|weekly|monthly|hourly|yearly|quarterly|automatic(?:ally)?|manual(?:ly)?|by hand|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|mornings?|midnight|noon|night|weekends?|month|"
    r"per|only|never|always|at most|at least|unlimited|limit(?:ed|s)?|capped|unique|required|mandatory|forbidden|"
    r"not allowed|allowed|optional|deprecated|legacy|read[ -]only|frozen|off[ -]limits|generated|by default|owned|"
    r"responsible|designer|customers?|team|our|on merge|in (?:cents|utc|seconds|bytes|production|staging)|"
    r"stored|kept|called|named|numbered|written in|separate|third-party|shared|internal|external|public|private|"
    r"conventional|come from|comes from|happens?|belongs?|depends? on|follows?|requires?|approvals?|"
    r"reviewers?|behind|own)\b",
)
_SHOWS_ONLY = re.compile(
    r"\b(?:typos?|conflicts|invalid|full of|not (?:installed|running|found|sorted|there|set|defined|responding)|a mess|"
    r"on my (?:machine|laptop|side|end|mac|branch))\b|,\s*\w+ (?:it|them)\W*\Z|^my\b|"
    r"\b(?:is|are|has|have) (?:\w+ )?(?:on|at) the (?:wrong|left|right|top|bottom)\b|\bstays? (?:open|closed|on|there|"
    r"visible|empty)\b|\b(?:has|have) (?:two|three|four|no|\d+) (?!million|thousand|billion|rows?|users?|seats?|cores?|"
    r"gb|mb|tb|replicas?|shards?|nodes?|tenants?|environments?|workers?|regions?|stages?|members?|people)\w+\W*\Z|"
    r"\btakes? (?:\w+ ){0,3}to (?:load|render|open|start)\b|\buses? \d+ ?%|\b(?:tests?|build|ci|checks?) pass(?:es)?\b|"
    r"\bgoes (?:blank|away|missing|back|black)\b|\bgets? (?:lost|cut|null|undefined|nan|an? )\b|"
    r"\b(?:is|are) (?:now |still |always |not |currently )*(?!using|missing|during|nothing|something)\w+ing\b|"
    r"\b(?:twice|away)\W*\Z|\btakes? [\d.]+ ?(?:ms|s|milliseconds?|seconds?)\W*\Z|\bhave a look\b|\bready for\b|"
    r",\s*(?:so |and |please |can you |could you )*(?:change|fix|move|split|update|remove|rename|replace|"
    r"make) (?:it|this|"
    r"that|them)\b|\bsince (?:yesterday|today|last|this|the last|my|i)\b|\b(?:when|whenever|after|if|"
    r"as soon as) i\b|\bjust now\b|"
    r"\bthis (?:morning|afternoon)\b|\b(?:is|are) (?:null|undefined|nan|none|blank|off by|off|out of|better|worse|"
    r"right|at \d)\b",
    re.I,
)
# What is seen on a screen, or stands in the work at hand, is no property of the project.
_AT_HAND = re.compile(
    r"(?:the |a |an |my |your |new |old )*(?:[\w-]+ ){0,3}?(?:dropdown|modal|dialog|button|spinner|header|footer|"
    r"sidebar|"
    r"icon|font|form|page|tooltip|chart|column|popup|menu|toggle|checkbox|field|title|label|component|hook|function|"
    r"method|loop|variable|screen|layout|banner|navbar|card|legend|text|value|result|output|diff|ticket|pr(?!s)|"
    r"pull request|"
    r"file|answer|plan|problem|culprit|idea|goal|line \d+|step \d+|laptop|machine)s? (?:now |still |also )*(?:is|"
    r"are|has|"
    r"have|gets?|uses?|needs?|never|always|shows?|stays?)\b|the test for\b",
    re.I,
)
_WANTED = re.compile(
    r"(?!every|each|any|all)(?:[\w'./-]+ ){1,6}?needs? (?:an?|another|some|more|new|two|three)\b(?!.{0,30}(?:approv|"
    r"sign|"
    r"review|licen|key|token|vpn|permission))",
    re.I,
)
_TO_BE_DONE = re.compile(
    r"\b(?:we|you) (?:still |also |now )?(?:need|have|ought|want|like|plan|hope|try) to\b|"
    r"\bneeds? to be \w+ed\b(?!.*\bby\b)"
)
# What something cannot do without, and what comes of it.
_OR_ELSE = re.compile(
    r"(?:[\w./'-]+ ){1,5}?(?:needs?|must|ha(?:s|ve) to|requires?)\b.{3,}?[,;–—-]\s*(?:otherwise|or else)\b.{8,}", re.I
)


def is_statement(sentence: str) -> bool:
    """Whether a sentence says how something is, or who does what, without asking for anything."""
    words = _WORDS.findall(sentence)
    if len(words) < LEAST_WORDS or QUESTION.match(sentence) or _SECRET.search(sentence):
        return False
    if HEDGED.search(sentence) or _DOUBT.search(sentence):
        return False
    if _ASK_SOMEONE.match(sentence[:1].lower() + sentence[1:]):
        return True
    if _OR_ELSE.match(sentence) and not (_UNNAMED.match(sentence) or _AT_HAND.match(sentence) or is_request(sentence)):
        return not re.match(r"(?:we|you)\b", sentence, re.I)
    if _UNNAMED.match(sentence) or PROBLEM.search(_NO_TROUBLE.sub(" ", sentence)) or is_request(sentence):
        return False
    if _WE_DID.match(sentence):
        return True
    if _MOMENT.search(sentence) or is_symptom(sentence) or ABOUT_NOW.search(sentence):
        return False
    if _REPLACED.match(sentence) and not sentence.lower().startswith(("we ", "we've ")):
        return True
    if _TO_BE_DONE.search(sentence):
        return False
    return _about_people(sentence) or _has_predicate(words, sentence)


def is_symptom(sentence: str) -> bool:
    """What someone sees or misses at the moment, and would no more once it is mended."""
    return bool(_SHOWS_ONLY.search(sentence) or _AT_HAND.match(sentence) or _WANTED.match(sentence))


def is_request(sentence: str) -> bool:
    """ "Release the app" asks; "releases go out on Tuesdays" tells."""
    return _REQUEST.match(sentence) is not None and _PLURAL_SUBJECT.match(sentence) is None


def _about_people(sentence: str) -> bool:
    found = re.match(rf"(?:(?!(?:is|are|has|have|for|to) )[\w'’./-]+ ){{1,6}}?{_PEOPLE_DO}", sentence, re.I)
    return found is not None or _BY_PEOPLE.search(sentence) is not None


def _has_predicate(words: list[str], sentence: str) -> bool:
    """A subject of a few words, a verb of being, having or happening, and something definite said with it."""
    for at, word in enumerate(words[1 : SUBJECT_MAX + 1], 1):
        if _VERB.match(word):
            rest = sentence.split(word, 1)[-1]
            named = re.search(r"\w_\w|\w/\w|\w\.\w|[a-z][A-Z]", " ".join(words[:at])) is not None
            return (named and len(words) > at + 2) or _CONCRETE.search(f"x {word}{rest}") is not None
    return False
