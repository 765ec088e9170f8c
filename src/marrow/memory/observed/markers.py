"""The words by which people say that something matters, and those by which they take it back. Patterns only."""

from __future__ import annotations

import re

# Whoever says this wants nothing of the prompt kept. "I don't remember" is a person's memory, not ours.
KEEP_NOTHING = re.compile(
    r"(?<!\bi )(?<!\bwe )(?<!\byou )(?<!\bthey )(?<!\bhe )(?<!\bshe )\b(?:do not|don'?t|don’t|never|no need to|not "
    r"to)\s+"
    r"(?:ever\s+)?(?:remember|memori[sz]e|store|save|record|keep|log|persist)\s+(?:any of\s+|all\s+)?(?:this|that|"
    r"these|it|"
    r"what i|anything|in memory)\b(?!\s+(?:in|to|on|into|under|inside|as|for|with|file|variable|value|state)\b)|"
    r"\b(?:do not|don'?t|don’t) memori[sz]e\b|\bforget (?:that )?i (?:ever )?(?:said|told|mentioned)\b|"
    r"\b(?:keep|treat) (?:this|that|it) (?:as )?(?:private|confidential|secret|to yourself)\b|"
    r"\b(?:this|that) is confidential\b|"
    r"\boff the record\b|\bkeep (?:this|it) (?:out of (?:your |the )?memory|between us)\b|"
    r"\b(?:do not|don'?t) (?:write|add|put) (?:this|that|it) (?:to|in|into) (?:your |the )?memory\b",
    re.I,
)
# This sentence only: it holds for a while, or is taken back.
EPHEMERAL = re.compile(
    r"(?<!n.t )(?<!not )(?<!never )\bforget (?:this|that|it|what i|about (?:this|that|it))\b|\bignore (?:this|that|"
    r"what i)\b|\bscratch that\b|"
    r"\bnever ?mind\b|"
    r"\bephemeral\b|\btemporarily\b|\b(?:is|are|only|just|a|as a) temporary\b(?! (?:table|file|folder|director|"
    r"credential|token))|"
    r"\bfor now\b|\bfor the moment\b|\bjust (?:this once|for (?:this|today|now)|this time)\b|\bthis time only\b|"
    r"\bonly this time\b|"
    r"\bfor this (?:session|task|run|time|one)\b|\btoday only\b|\bscratch (?:file|pad|note|work)|\bdo not store\b|"
    r"\bdon'?t store\b|"
    r"\bit'?s a secret\b|\bkeep (?:it|this) secret\b|\buntil (?:tomorrow|tonight|later|i'?m back)\b",
    re.I,
)
# What was said before no longer holds; what stands behind the mark holds in its place.
_MY_FAULT = (
    r"(?:(?:sorry|oh|ah|oops|whoops)[,. ]+)*(?:my (?:bad|mistake|fault|error)|i misspoke|i (?:was|am) (?:wrong|"
    r"mistaken)(?: (?:about|on|with) [^:;,.]{1,40}| there)?|i got (?:that|this|it) (?:wrong|backwards|mixed up))"
)
TAKES_BACK = re.compile(
    r"(?:(?:forget|ignore|disregard) (?:what|everything|all) (?:that )?i (?:just )?(?:said|told you|wrote)"
    rf"[^:;,.–—]{{0,60}}?|{_MY_FAULT})(?:[:;,–—]+|\s-)\s+"
    r"(?!let(?:['’]?s| us) (?:go on|go ahead|continue|carry on|move on|proceed|see|try|do (?:it|that|this)|start)"
    r"\b)(?=\S)",
    re.I,
)
WAS_WRONG = re.compile(rf"{_MY_FAULT}(?:[,; ]+{_MY_FAULT})*", re.I)
# Said alone, it is of the sentence before.
SETTLED = re.compile(
    r"(?:(?:so|and|ok)[, ]+)*(?:(?:that|it|this)(?:'s|’s| is) )?(?:decided|settled|final)|"
    r"(?:sorry[, ]+)?(?:(?:i|we)(?:'ve|’ve| have)? )?changed (?:my|our) minds?(?: again)?(?:[, ]+sorry)?",
    re.I,
)
QUESTION = re.compile(
    r".*\?\W*\Z|(?:(?:so|and|but|ok|okay|hey|also|hmm|well|now|then|actually|wait|please|no)[, ]+)*(?:why|"
    r"(?:what|how|when|where|which|who|whose)(?:'s| (?:\w+ )?(?:is|are|was|were|do|does|did|can|could|should|shall|"
    r"would|will|have|has|about|if|come))|is|are|was|were|do(?! not (?!we\b|you\b))|does|did|can|could|should|"
    r"shall|would|will|have|has|may|"
    r"isn'?t|aren'?t|"
    r"don'?t (?:we|you)|"
    r"doesn'?t|didn'?t|shouldn'?t|wouldn'?t|couldn'?t|any idea|i wonder|wondering|not sure (?:if|whether|what|how|why)|"
    r"tell me|explain|show me|let me know)\b(?! (?:i|we) (?:want|need|prefer|like|use|do)\b.*[^?]\Z)",
    re.I | re.S,
)
HEDGED = re.compile(
    r"\A(?:(?:so|and|but|now|ok)[, ]+)*(?:imagine|suppose|supposing|assume (?:that )?(?:we|i|you|it|there|the)|"
    r"assuming|pretend|let'?s (?:say(?! (?:goodbye|no|yes|hello))|pretend|assume|imagine|suppose)|say we)\b|"
    r"\bi (?:disagree|do not agree|don'?t agree|don'?t think so)\b|"
    r"\b(?:he|she|they|someone|somebody|people) (?:said|says?|thinks?|claims?|suggested|wants?|wanted)\b"
    r".{0,20}\b(?:we|i|you) (?:should|could|must|always|never|have to|need to)\b|"
    r"\b(?:in|at|on) (?:the|my|our) (?:old|last|previous|former) (?:project|repo|job|company|codebase|team)\b"
    r"(?! (?:meeting|call|sync|retro|review|chat|discussion))|\A(?:in|at|on) (?:the|my|our) other (?:project|repo|"
    r"company|codebase|team)\b|"
    r"\b(?:maybe|perhaps|might|possibly|not sure|unsure|i guess|i think we (?:could|should|might)|we could|what if|"
    r"considering|thinking (?:about|of)|haven'?t decided|have not decided|not (?:yet )?decided|undecided|to be "
    r"decided|tbd|"
    r"wonder(?:ing)?|hypothetically|if we (?:decided?|use|used|were|had|go|went)|once (?:we|it'?s|you'?ve) decided?|"
    r"you decide|up to you|needs? (?:a )?decision|need to decide|have to decide|let'?s decide|help (?:me|us) decide)\b",
    re.I,
)
# A request that may be granted: "can you remember that we use tabs?" is no question.
ASKS_TO_REMEMBER = re.compile(
    r"(?:(?:also|and|so|ok|okay|btw|by the way|hey|oh)[, ]+)*(?:can|could|would|will) you (?:please |also |always )*"
    r"(?:remember|note|keep in mind|memori[sz]e|save)\b[:,]?\s*(?:that\b|this\b)?[:,]?\s*",
    re.I,
)
REMEMBER = re.compile(
    r"(?:(?:please|also|and|so|ok|okay|btw|by the way|hey|oh|one more thing|but|just|important|always)[,:]?\s+)*"
    r"(?:(?:please |i (?:want|need|would like|'d like) you to |you (?:should|must|need to) |make sure (?:you |to )|"
    r"let'?s )?(?:remember|memori[sz]e|save (?:this|that) to memory|add (?:this |that )?to (?:your |the )?memory|"
    r"(?:do not|don'?t|don’t|never) forget|keep in mind|bear in mind))\b(?! (?:me|us|him|when|how|if|your)\b)[:,]?\s*"
    r"(?:(?:that|this|the following|these|for (?:later|next time|the future|future sessions))\b[:,]?\s*)*",
    re.I,
)
TO_DO = re.compile(r"to\s+", re.I)
ERRAND = re.compile(
    r"to (?:buy|pick up|call (?:my|mum|mom|dad|the dentist|the doctor)|eat|sleep|drink|breathe|smile|book (?:a|the) "
    r"(?:flight|table|hotel)|"
    r"pay|water|feed|walk|email|text|send .* (?:birthday|invite)|relax|have fun)\b",
    re.I,
)
GENERAL = re.compile(
    r"\b(?:always|never|every|each|whenever|before|after|when|any|all|must|from now on|going forward)\b", re.I
)
# A choice among what was offered, without a word of what that is.
_NAMED = r"(?! (?:the )?(?:first|second|third|last|other|latter|former|same|it|this|that|option)\b| the flow(?! \w))"
DECIDED = re.compile(
    r"\b(?:(?:we|i|the team|they)(?:'ve| have)?(?: now| finally| just| already)* (?:decided|agreed|settled|chosen|"
    r"opted|concluded)\b|"
    rf"decision:|(?:the|our|final) decision (?:is|was)\b|it (?:was|is|has been) decided|let'?s (?:go|stick) "
    rf"with\b{_NAMED}|"
    rf"we(?:'re| are|'ll|’ll| will)? (?:go|going|stick|sticking) with\b{_NAMED}|"
    r"we (?:chose|picked|went with)\b|i(?:'ve| have) (?:decided|"
    rf"chosen)\b|"
    r"decided (?:to|that|on|against)\b)",
    re.I,
)
WILL_USE = re.compile(
    r"\b(?:we(?:'ll| will|’ll)|let'?s|going to) (?:use|be using|adopt|standardi[sz]e on|switch to|move to)\b", re.I
)
# One of those that are being shown, and no preference beyond them.
_OF_THESE = (
    r"(?! (?:the )?(?:first|second|third|last|other|latter|former|same|previous|(?:old|new)(?:er)? (?:one|version))\b|"
    r" (?:it|this|that)(?:\W*\Z| (?:one|version|way)\b))"
)
PREFERS = re.compile(
    rf"\b(?:i|we|the team)(?:'d| would| strongly| really| generally| usually)* prefer\b{_OF_THESE}|"
    rf"^(?:please )?prefer{_OF_THESE} \S+|"
    r"\b(?:my|our) (?:preference|preferred|convention|style)\b|\b(?:the|a|our|by) convention(?: here)?\b|\bconvention:|"
    r"\b(?:i|we) (?:really )?(?:(?:like|hate|dislike) (?:it when|commits?|tests?|code|functions?|files?|small|"
    r"short)|want (?:it when|small|short|you to always))\b",
    re.I,
)
GOING_FORWARD = re.compile(
    r"\b(?:going forward|from now on|from here on|henceforth|in (?:the )?future,? (?:use|please|always|do|don'?t))\b",
    re.I,
)
FIX = re.compile(
    r"\bthe (?:fix|solution|cure|workaround) (?:is|was|:)|\bthe fix:|\broot cause(?: here)?(?: is| was|:)|\bturned "
    r"out (?:to be|that)\b",
    re.I,
)
FIXED = re.compile(
    r"\b(?:fixed|solved|resolved) (?:it |this |that |the \w+ )?(?:by|with|in|via|after)\b|\bthat fixed it\b", re.I
)
NOT_FIXED = re.compile(
    r"\b(?:not|isn'?t|needs? to be|to be|must be|get(?:ting)?|still|can'?t be|should be|hasn'?t been|be) (?:fixed|"
    r"solved|resolved)\b",
    re.I,
)
RULE = re.compile(r"\b(?:always|never)\b", re.I)
SYMPTOM_SUBJECT = re.compile(
    r"\b(?:it|this|that|there|which|he|she|he's|it's|button|page|app|screen|request)(?: (?:has|have|had|will|would|"
    r"is|was|just))? (?:always|never)\b|\bwant (?:it|this|that|them) to (?:always|never)\b|"
    r"\bnever (?:have|had|need) to\b|\bnever (?:seen|heard|mind)\b",
    re.I,
)
PROBLEM = re.compile(
    r"\b(?:fail(?:s|ed|ing|ure)?|errors?|bugs?|broken|crash(?:es|ed|ing)?|hang(?:s|ing)?|wrong|doesn'?t work|does "
    r"not work|not working|"
    r"stuck|slow|flaky|red|down|missing|weird|strange|problem|issue with|regression|leak(?:s|ing)?|exception|timeout|"
    r"timing out|"
    r"getting an?|seeing an?|can'?t|cannot|won'?t)\b",
    re.I,
)
IMPORTANT = re.compile(
    r"(?:^|\b)(?:important(?:ly)?[:,]|it'?s (?:very |really )?important (?:that|to)|(?:is|are) (?:very |really "
    r")?important\b|crucial(?:ly)?[:,]|must not|under no circumstances)",
    re.I,
)
# The whole of an opener is cut off: "so you know how releases work here: …" leaves what stands behind the colon.
NOTE = re.compile(
    r"(?:(?:also|and|btw|please|but)[, ]+)*(?:(?:please )?note(?: that|:)|(?:(?:just )?(?:an? )?(?:quick )?(?:fyi|for "
    r"your information|for the record|heads[ -]up|for context|some (?:context|background))|be aware|be advised|"
    r"(?:just )?so (?:that )?you(?:'re| are) aware|(?:just )?so (?:that )?you know(?: (?:how|what|who|when|where) "
    r"[^:.?]{2,60}(?=:))?)(?: that)?\s*[,:—–-]*)\s*",
    re.I,
)
AVOID = re.compile(
    r"(?:please\s+)?(?:don'?t|don’t|do not|stop|avoid|no more)\s+(?:ever\s+)?(?:us(?:e|ing)|add(?:ing)?|writ(?:e|"
    r"ing)|put(?:ting)?|creat(?:e|ing)|mock(?:ing)?|commit(?:ting)?|push(?:ing)?|import(?:ing)?|skip(?:ping)?|"
    r"merg(?:e|ing)|deploy(?:ing)?|"
    r"hard-?cod(?:e|ing)|rebas(?:e|ing)|force-push(?:ing)?|touch(?:ing)?(?= \S*/))\b",
    re.I,
)
# What is said of the lines at hand holds there and nowhere else.
AT_HAND = re.compile(
    r"\b(?:here|there)(?=\W*\Z| instead\b| rather\b)|"
    r"\b(?:in|for) (?:this|that) (?:file|function|case|test|method|one|place)\b",
    re.I,
)
# What is told leads to a question, though no mark says so; or to how much time is left.
ABOUT_NOW = re.compile(
    r", (?:so |but |and )?(?:(?:can|could|should|shall) (?:we|i)|(?:where|why|how|when|which|who) (?:is|are|do|does|"
    r"did|can|should|could))\b|\bwe have (?:\d+|a few|some) (?:minutes|hours|days) (?:left|until|till|before|to)\b",
    re.I,
)
# A request that follows what is told.
AND_PLEASE = re.compile(
    r"(?:[,;]|\s[-–—])\s*(?:(?:so|and|but) )?(?:please|can you|could you|fix|add|make|change|update|remove|look|"
    r"check(?! with))\b.*\Z",
    re.I,
)
# The same after a rule or a choice, where "add" may be part of the rule.
REQUEST_BEHIND = re.compile(
    r"(?:[,;]|\s[-–—])\s*(?:(?:so|and|but) )?(?:(?:can|could|would) you|please (?!always|never|don'?t|do not|keep|"
    r"use|avoid|prefer|ask)\w+|go ahead)\b.*\Z",
    re.I,
)
# One rule and the next in one sentence.
NEXT_RULE = re.compile(
    r"\s*;\s+|,?\s+and\s+(?=(?:please )?(?:always|never|from now on|don'?t ever|do not ever|i prefer|we prefer)\b)",
    re.I,
)
# "Don't raise it without asking": goes with the sentence that says what it is.
GOES_ON = re.compile(
    r"(?:(?:so|and|but|please)[, ]+)*(?:don'?t|don’t|do not|never|always|only|ask|check with|keep|leave)\b.*\b(?:it|"
    r"them|"
    r"there|him|her)\b|ask [A-Z]\w+ if\b",
    re.I,
)
# What is not done, and what is done in its place.
REFUSED = re.compile(r"(?:let'?s not|we(?:'re| are) not|we won'?t|scrap|ditch|abandon)\b", re.I)
INSTEAD = re.compile(
    r"(?:instead,? )?(?:we(?:'re| are|'ll| will)? (?:go|going|stay|staying|stick|sticking|use|using)\b|"
    r"let'?s (?:go|stay|stick) with\b)",
    re.I,
)
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_WHEN = rf"(?:(?:on |next |this |by |before )?{_DAY}|tomorrow|next (?:week|sprint|month|release)|later this week)"
TASK = re.compile(
    rf"(?:to-?do|to do)(?: list)?(?: (?P<when>(?:for|on|by) (?:next )?\w+))?\s*[:–—-]+\s*(?P<what>\S.*)|"
    rf"{_WHEN}[,:]? (?:we|i)"
    rf"(?:'ll|’ll| will)? (?:still |also )*(?:need|have|must|ought|should)\b.*|we (?:still |also )*(?:need|"
    rf"have) to .*\b"
    rf"(?:on|by|before|until|next) (?:{_DAY}|tomorrow|next|week|sprint|month|the (?:next )?release)\b.*|"
    rf"(?:please )?remind (?:me|us) (?:{_WHEN} )?to (?:.*)",
    re.I,
)
# How the agent should work, as a wish of the user's.
_WORK_OF_THE_AGENT = (
    r"(?:answers?|repl(?:y|ies)|responses?|explanations?|summar(?:y|ies)|messages?|emojis?|preambles?|apolog\w+|"
    r"walls? of text|bullet points?|diffs?|commits?|pull requests?|prs|comments?|docstrings?|functions?|sentences|"
    r"lists|"
    r"small talk|flattery|chatter|jargon)"
)
_MANNER = (
    r"(?:short|long|brief|concise|terse|small|big|huge|detailed|verbose|lengthy|simple|plain|direct|precise|tiny|"
    r"clear|complete|full)"
)
WISH = re.compile(
    rf"i(?: (?:really|do|strongly|absolutely|generally|usually))* (?:hate|dislike|can'?t stand|like|love|prefer|"
    rf"don'?t like|"
    rf"do not like|don’t like) (?:\w+ ){{0,2}}?{_WORK_OF_THE_AGENT}\b|i(?:'d| would)? (?:like|want|"
    rf"need)(?: \w+)? {_MANNER}"
    rf" (?:\w+ )?{_WORK_OF_THE_AGENT}\b|i (?:don'?t|do not|don’t) (?:want|need) (?:any |your |more )?(?:\w+ )?"
    rf"{_WORK_OF_THE_AGENT}\b|(?:please )?keep (?:it|things|(?:your |the |all |my )?{_WORK_OF_THE_AGENT}) (?:very |"
    rf"as )?"
    rf"(?:{_MANNER}|to the point|to (?:one|two|a few))\b",
    re.I,
)
# A choice between what was offered.
CHOICE = re.compile(r"(?P<what>[\w./+#`'-]+(?: [\w./+#`'-]+){0,7}?) it is\b(?P<rest>.*)", re.I)
NO_CHOICE = re.compile(
    r"(?:the )?(?:first|second|third|last|other|latter|former|left|right|same|next)(?: \w+)?\Z|(?:what|that|this|as|"
    r"how|"
    r"whatever|where|so|because|since|if|when|which|i|we|you|option|and|but|fine|ok|good|a|b|c|yes|no|the)\b(?:.*)\Z",
    re.I,
)
# A correction: what it is said with is stripped, and what remains must say something by itself.
CORRECTS = re.compile(
    r"(?:(?:no+|nope|nah|wrong|incorrect|not quite|not (?:like )?that|hmm,? no|wait|stop|hold on)\s*(?:[,.;:!—–-]+|"
    r"(?=\b(?:use|don'?t|do not|it'?s|"
    r"that'?s|the|we|i|you|not|this|never|always|please)\b))\s*)+|"
    r"(?:that|this|it)(?:'s| is|’s| was) (?:wrong|not right|incorrect|not correct|not true|false|not what i (?:said|"
    r"asked|meant|wanted)(?: for)?|outdated)\b[\s,.;:—–-]*|"
    r"you(?:'re| are|’re| got (?:it|that)) (?:wrong|mistaken)\b[\s,.;:—–-]*|"
    r"actually,?\s+(?:also[,:]?\s+)?"
    r"(?=(?:it'?s|it is|that'?s|we|our|the|they|use|don'?t|do not|not|there|i meant|you should|this)\b)|"
    r"(?:but )?(?:as )?i (?:already )?(?:said|told you|asked you|meant|asked for|explicitly said)(?: to| that| "
    r"earlier| before| already)*\b[\s,:]*|"
    r"(?:you )?(?:should|shouldn'?t) (?:have|not have)\b\s*",
    re.I,
)
NOT_A_CORRECTION = re.compile(
    r"no (?:problem|worries|need|rush|idea|thanks|thank|longer|one|other|more|tests?|changes?|errors?|way|doubt|"
    r"matter|\w+ing)\b|"
    r"stop (?:here|now|there|it|the)\b|wait (?:for|until)\b|nope\W*\Z|no\W*\Z",
    re.I,
)
# "Use X instead" does not say of what.
NOTHING_REPLACED = re.compile(
    r"(?!.*\b(?:not|don'?t|don’t|stop|never|rather than)\b)(?:please )?(?:use|do|take|try|call|"
    r"run)\b.*\binstead\b(?! of\b)",
    re.I,
)
USE_INSTEAD = re.compile(
    r"\b(?:use|do|call|run|put|write|go with|take)\b.+\binstead\b|\buse .+, not .+|\bnot .+ but\b|"
    # Without a comma only between names: "use a port not taken" refuses nothing.
    r"\buse (?!the |an? |this |that |it |any |some )(?:[\w.+#@-]+ ){1,3}not "
    r"(?!(?:in|on|yet|to|for|by|be|as|just|only|with|found|installed|available|allowed|supported|working|running|set|"
    r"needed|used|null|none|me|you|us|them|it)\b)[\w.+#@-]+",
    re.I,
)
LEADS = re.compile(
    r"(?:(?!(?:just )?so (?:that )?you\b)(?:please|also|and|so|ok(?:ay)?|btw|by the way|hey|oh|well|but|then|now|"
    r"anyway|yes|yeah|right|sure|great|"
    r"thanks|thank you|"
    r"hmm+|ah+|actually(?=,? (?:let'?s not|scrap|ditch|change of))|on second thoughts?|"
    r"in (?:this|our) (?:repo|repository|project|codebase)(?=, )|"
    r"just|one more thing|as a reminder|reminder|basically|hi|hello|morning|(?:a few|some|our|the|"
    r"my) (?:house |"
    r"ground |basic |project )?(?:rules|conventions)(?: (?:here|for you))?(?=:))\b[,:!.]?\s+)+",
    re.I,
)
TAILS = re.compile(r"(?:[,.]?\s*\b(?:please|thanks|thank you|ok(?:ay)?|alright|got it|cheers)[.!?]*)+\Z", re.I)

# What follows is not the user's own word: a text to be worked on, or what another one says.
FOREIGN = re.compile(
    r"(?:^|[\n.!?])[ \t]*(?:(?:please|can you|could you|now)\s+)*"
    r"(?:(?:summari[sz]e|translate|answer|reply|respond|fix|rewrite|rephrase|review|proofread|correct|explain|"
    r"analy[sz]e|check|write|draft|compose|generate|improve|shorten|convert|make|add|here(?:'s| is| are)|this is|see|"
    r"look at|read|(?:the|our|a|an|their|this|his|her|from the|in the)\s+(?:readme|docs?|documentation|e?-?mail|"
    r"message|ticket|issue|page|article|spec|log|output|error|client|customer|template))\b[^:\n]{0,100}|"
    r"[\w .@-]{1,40}\b(?:wrote|writes|says?|said|asked|replied|posted|commented))[ \t]*:(?=\s|[\"'“])",
    re.I,
)
# A sentence that asks for a text holds that text, and says nothing itself.
ASKS_FOR_TEXT = re.compile(
    r"^(?:please\s+|can you\s+|could you\s+)?(?:write|draft|compose|generate|make|translate|rewrite|rephrase|"
    r"summari[sz]e|add|create|put|print|say|reply|answer)\b.{0,80}\b(?:sa(?:y|ys|ying)|message|sentence|text|e?mail|"
    r"comment|title|test|story|poem|it so|to \w+:)|"
    r"^[\"“'][^\"”]{3,}[\"”'],? (?:says|said|writes|wrote|is what)\b|^\[[ x]?\]|^\S+@\S+[$#:~]",
    re.I,
)
