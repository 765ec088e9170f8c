"""The two orders that are meant for the memory itself, to keep something and not to, in languages other than English.

The other rules know English only. Whoever says these words means them, whatever the rest of the sentence is in.
"""

from __future__ import annotations

import re

# At the beginning of a sentence; what follows is what is to be kept.
REMEMBER_ABROAD = re.compile(
    r"(?:(?:bitte|und|auch|s'il te pla[iî]t|por favor|per favore|alsjeblieft|пожалуйста)[, ]+)*(?:"
    r"(?:merke? dir|denke? (?:dr|dar)an|vergiss nicht|nicht vergessen)\b(?: bitte)?[:,]?(?: dass\b)?|"
    r"(?:souviens-toi|rappelle-toi|retiens|n['’]oublie(?:z)? pas)(?: (?:que |qu['’])|\s*[:,])|"
    r"(?:recuerda|no olvides|ten en cuenta)(?: que\b|\s*[:,])|"
    r"(?:ricorda(?:ti)?|non dimenticare)(?: che\b|\s*[:,])|"
    r"(?:lembre-se(?: de)?|não (?:se )?esqueça)(?: que\b|\s*[:,])|"
    r"(?:onthoud|vergeet niet)(?: dat\b|\s*[:,])|"
    r"(?:запомни|помни|не забудь)(?:те)?(?:,? что\b|\s*[:,])|"
    r"请?(?:记住|记得)|請?(?:記住|記得)|(?:覚えておいて|忘れないで)(?:ください|ね)?|"
    r"기억해 ?(?:줘|두세요)?|잊지 ?마(?:세요)?"
    r")[:：,，、。]?\s*",
    re.I,
)
# Of files, logs and passwords the same is said every day: it is meant of "this", or where it stands alone.
_BEGINS, _ENDS = r"(?:\A|[.!?;\n(][ ]{0,3}|[,:][ ](?=bitte ))", r"(?=[ ]{0,3}(?:[.:!;,)\n]|\Z))"
_NOT_INTO = r"\b(?! (?:dans|en|sur|comme|in|nel|nella|como|no|na|em|в|на|как)\b)"
_ASKED = r"(?:(?:s'il te pla[iî]t|por favor|per favore|пожалуйста)[, ]+)?"
_ORDERS = (
    (r"ne (?:retiens|m[ée]morise|garde|souviens-toi) pas|n['’]enregistre pas", r"[çc]a|cela|ceci|ce message|ce que je"),
    (r"no (?:recuerdes|guardes|memorices)", r"esto|eso|lo que|nada de"),
    (r"non (?:ricordare|memorizzare|salvare)", r"questo|ciò|quello che"),
    (r"não (?:guarde|memorize|lembre)", r"isto|isso|disto|disso|o que"),
    (r"не (?:запоминай|сохраняй)(?:те)?", r"этого|это|то, что"),
)
KEEP_NOTHING_ABROAD = re.compile(
    rf"{_BEGINS}(?:(?:bitte|das|dies|es|hier) ){{0,3}}nicht (?:merken|speichern|behalten){_ENDS}|"
    rf"\b(?:merke? dir|speicher[en]?) (?:das|dies)(?: bitte)? nicht{_ENDS}|"
    rf"{_BEGINS}(?:(?:dit|dat|alsjeblieft) ){{0,2}}niet onthouden{_ENDS}|\bonthoud (?:dit|dat) niet{_ENDS}|"
    + "|".join(rf"\b(?:{do}) (?:{this}){_NOT_INTO}|{_BEGINS}{_ASKED}(?:{do}){_ENDS}" for do, this in _ORDERS)
    + r"|(?:不要|别|別)(?:记|記)(?:住|下来?|得)?(?=这|這|此|我|以[上下]|[。！!，,：:\s]|\Z)"
    r"|覚えないで|記憶しないで|기억하지 ?마",
    re.I,
)
# Where words are not parted by spaces.
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
