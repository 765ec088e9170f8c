"""The words by which other languages than English ask, or join what they say: what was asked is in the others.

They are only left out of questions, and only where others are left. What is also an English word or a name of software,
as `die`, `car`, `du` and `mit`, counts beside others alone that leave no doubt.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from .folding import folded

_SPACED = """
warum wieso weshalb wie wann wo wer wen wem welche welcher welches welchen welchem womit woher wohin wofür
worauf wir ihr euch uns unser unsere unserer unseren ich mich mir sind haben hatten wird werden wurde
wurden worden der das dem ein eine einen einem einer eines und oder aber auch schon nur von vom zu zum
zur bei aus auf durch für über dass wenn weil denn diese dieser dieses diesen kann können muss müssen
soll sollen sich nicht kein keine keinen
pourquoi quand qui que quoi quel quelle quels quelles lequel laquelle nous vous ils elles je tu il avons
avez ont avait était étaient sont les une de la le un et avec ce cet cette ces notre nos votre
leur leurs se ne pas faut peut aux au donc si
cuando dónde quién quiénes cuál cuáles cómo nosotros tenemos hemos esto estos estas los las unos unas
una el por pero muy sus lo fue
perché chi che quale quali noi abbiamo avete hanno gli dei delle della dello degli nel nella questo questa

porque quem qual quais temos foi não uma das pelo pela isso essa
waarom wanneer waar welke hoe wij het een voor naar niet zijn hebben wordt
почему зачем как когда где куда откуда кто что чем чего чему какой какая какое какие каков какова каково какую
каким каких который которая которое которые мы вы он она оно они я ты нас нам вас вам их им его её мой наш наша
наше наши для на в во с со к ко о об от до из за по под над при про у и или но а же ли бы не это этот эта эти то
тот та те так также если уже ещё был была было были быть есть только все всё очень
क्यों कब कहाँ कौन क्या कैसे कैसा किस किसने किससे किसे कितना कितने हम हमने हमें हमारा मैं मैंने आप वह यह ये वे था
थी थे है हैं हो होता होती होते हुआ हुई हुए का की के को से में पर ने और या लेकिन भी ही तो लिए जो कि एक कर करते
करता करने गया जाता नहीं
لماذا متى أين من ما ماذا كيف هل أي في على إلى عن مع هذا هذه ذلك تلك التي الذي الذين هو هي هم نحن أنا أنت كان
كانت يكون تم يتم قد أو ثم لأن أن إن بماذا لا لم لن
"""
_DOUBTFUL = frozenset(
    "die den des mit war ist es im am als man hat est car comment son plus sur en du par del con como come dal dos com "
    "su met van hay dove dies pour para nach onde sono elle este esse esta dans fait sein noch hatte mais".split()
)
_NAMES_TOO = frozenset(
    "la le lo el se si ne de il un et ce au aux der das dem tu je wo hoe het che chi noi dei nel sus una las los "
    "les".split()
)
DOUBTLESS = 2
# From so many letters on, one of them alone leaves no doubt.
SURE_LENGTH = 4
# Where there are no spaces, they part what stands around them. The longer ones first. 目的 is a word of its own.
_UNSPACED = """
什么时候 什麼時候 为什么 為什麼 怎么样 怎麼樣 有没有 有沒有 什么 什麼 怎么 怎麼 怎样 怎樣 如何 为何 為何 哪个
哪個 哪些 哪里 哪裡 多少 我们 我們 你们 你們 他们 他們 这个 這個 那个 那個 这些 這些 那些 是否 因为 因為 所以
但是 的 是 吗 嗎 呢 谁 誰 何時 何故 何 무엇 어떻게 언제 어디 누가 우리
"""


@lru_cache(maxsize=1)
def asking_words() -> frozenset[str]:
    """Folded and in lower case, as they stand in terms."""
    return frozenset(folded(_SPACED).lower().split())


@lru_cache(maxsize=1)
def _parting() -> re.Pattern[str]:
    return re.compile("(?<!目)(?:" + "|".join(folded(_UNSPACED).split()) + ")")


def is_elsewhere(words: Collection[str], english: Collection[str]) -> bool:
    """Whether these words, folded and in lower case, are another language's than English, whose words that say nothing
    are `english`. Where only such are found that are names in a program too, as `lo` and `el`, or options, as `-le` and
    `-ne`, they must be most of what is said."""
    asking, said = asking_words(), frozenset(words)
    found = asking & said
    if len(found) < DOUBTLESS or len(found) < len({word for word in said if word in english} - asking):
        return False
    return not found <= _NAMES_TOO or 2 * len((asking | _DOUBTFUL) & said) > len(said)


def silent_words(words: Collection[str], english: Collection[str]) -> frozenset[str]:
    """Those of other languages that tell nothing in a question that has these words."""
    asking = asking_words()
    if is_elsewhere(words, english):
        return asking | _DOUBTFUL
    if any(word in english for word in words):
        return frozenset()
    return frozenset(filter(_is_sure, asking.intersection(words)))


def _is_sure(word: str) -> bool:
    return len(word) >= SURE_LENGTH or not word.isascii()


def telling_pairs(run: str) -> list[str]:
    """Of a text without spaces the pairs that tell what is asked: none of a question's words, and none of hiragana
    alone, which are endings and particles."""
    parts = _parting().split(run)
    pairs = [part[at : at + 2] for part in parts for at in range(len(part) - 1)]
    return [pair for pair in pairs if not all("\u3040" <= sign <= "\u309f" for sign in pair)]
