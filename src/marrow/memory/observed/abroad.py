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
KEEP_NOTHING_ABROAD = re.compile(
    r"\b(?:nicht (?:merken|speichern|behalten)|merke? dir (?:das|dies) nicht|speicher(?:e|n)? (?:das|dies) nicht|"
    r"ne (?:retiens|m[ée]morise|garde|souviens-toi) pas|n['’]enregistre pas|"
    r"no (?:recuerdes|guardes|memorices)|non (?:ricordare|memorizzare|salvare)|não (?:guarde|memorize|lembre)|"
    r"niet onthouden|onthoud dit niet|не запоминай(?:те)?|не сохраняй(?:те)?)\b|"
    r"(?:不要|别|別)(?:记|記)|覚えないで|記憶しないで|기억하지 ?마",
    re.I,
)
# Where words are not parted by spaces.
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
