"""Where a secret could stand, found by plain string search.

`redact` judges with regular expressions. Importing those and compiling even a few costs a hook more than everything
else that it does, and most texts hold nothing that could be a secret. So each literal at which a rule is tried has a
check here: what must stand around it before the rule's pattern can match at all. `redact` compiles no pattern before
its check has passed, and a hook does not load `redact` at all where `suspects` says no.

A check may let through what is no secret. It must never hold back what a rule would take: the tests try every rule,
and that what is not suspected is left alone by `redact`.
"""

from __future__ import annotations

TYPE_CHECKING = False  # Importing `typing` would cost every hook a few milliseconds.
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    # The text, the text in which the literal was found (of the same length), and where.
    Check = Callable[[str, str, int], bool]
    # What several literals need, and they with their checks.
    Grouped = tuple[tuple[str, tuple[tuple[str, Check], ...]], ...]

LONG_WORD = 16  # Tokens of vendors are at least this long.
DEEPEST = 64
_TOKEN = 10  # No token of a vendor has a space in its first characters.
_SPACES = " \t\r\n\f\v"
_QUOTES = "\"'`\\"
_NAME_MARKS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"


def lower(text: str) -> str:
    """Lower case, letter for letter. Only one letter becomes two in lower case; it must not shift the rest."""
    return text.replace("\u0130", "i").lower()


# What takes no room and is not seen: in the middle of a secret it would hide that it is one.
UNSEEN = "\u200b\u200c\u200d\u2060\ufeff\xad"


def without_unseen(text: str) -> str:
    for mark in UNSEEN:
        if mark in text:
            text = text.replace(mark, "")
    return text


def _always(_text: str, _searched: str, _at: int) -> bool:
    return True


def _is_letter_or_digit(mark: str) -> bool:
    return mark.isascii() and mark.isalnum()


def _at_edge(text: str, at: int) -> bool:
    """A token starts after anything but a letter or digit; an escaped line break or a percent escape ends in one."""
    if at == 0 or not _is_letter_or_digit(text[at - 1]):
        return True
    return (at > 1 and text[at - 2] == "\\") or (at > 2 and text[at - 3] == "%")


def _token(text: str, _searched: str, at: int) -> bool:
    if not _at_edge(text, at):
        return False
    piece = text[at : at + _TOKEN]
    return len(piece) == _TOKEN and piece.split() == [piece]


def _run(skipped: int, length: int) -> Check:
    """So many letters and digits follow the literal, which is `skipped` long."""

    def check(text: str, _searched: str, at: int) -> bool:
        piece = text[at + skipped : at + skipped + length]
        return len(piece) == length and piece.isalnum() and _at_edge(text, at)

    return check


def _open_ai(text: str, _searched: str, at: int) -> bool:
    piece = text[at + 3 : at + 19]
    return len(piece) == 16 and piece.replace("-", "").replace("_", "").isalnum() and _at_edge(text, at)


def _telegram(text: str, _searched: str, at: int) -> bool:
    return text[max(0, at - 1) : at].isdigit()


def _discord(text: str, _searched: str, at: int) -> bool:
    if at < 24 or text[at + 7 : at + 8] != ".":  # dots are everywhere
        return False
    around = text[at - 23 : at] + text[at + 1 : at + 7]
    return not around.strip(_NAME_MARKS)


def _mailchimp(text: str, _searched: str, at: int) -> bool:
    return at >= 32 and text[at + 3 : at + 4].isdigit()


def _azure(text: str, _searched: str, at: int) -> bool:
    return text[max(0, at - 1) : at].isdigit()


_TOKENS = (
    "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- gldt- glft- glsoat- glrt- glcbt- glimt- glptt- glagent- gloas- "
    "glffct- GR1348941 xoxa- xoxb- xoxc- xoxd- xoxe xoxo- xoxp- xoxr- xoxs- xapp- hooks.slack.com/ discord.com/api "
    "discordapp.com/api webhook.office.com/ sk_live_ sk_test_ rk_live_ rk_test_ whsec_ AIza ya29. GOCSPX- 1//0 sk-ant- "
    "sk-proj- sk-svcacct- sk-admin- sk-or- hf_ api_org_ npm_ pypi-Ag SG. sq0atp- sq0csp- EAAA shpat_ shpss_ shpca_ "
    "shppa_ dop_v1_ doo_v1_ dor_v1_ hvs. hvb. atlasv1. dckr_pat_ dckr_oat_ glsa_ glc_ sntrys_ sntryu_ ATATT3 ATBB "
    "ATCTT3 AKCp cmVmdGtu AGE-SECRET-KEY-1 lin_api_ ntn_ figd_ pplx- gsk_ r8_ xai- tvly- rubygems_ pul- pscale_ NRAK- "
    "PMAK- dp.pt. dp.st. sbp_ sb_secret_ xkeysib- HRKU- fm2_ nvapi- fw_ csk- eyJ"
)
# The literals of rules for which case tells; they are looked for in long words only.
CASED: dict[str, Check] = {
    **dict.fromkeys(_TOKENS.split(), _token),
    **dict.fromkeys(("AKIA", "ASIA", "ABIA", "ACCA"), _run(4, 16)),
    "A3T": _run(3, 16),
    "AC": _run(2, 32),
    "SK": _run(2, 32),
    **dict.fromkeys(("$1$", "$5$", "$6$", "$y$", "$2a$", "$2b$", "$2y$", "$argon2"), _token),
    "key-": _run(4, 32),
    "dapi": _run(4, 32),
    "sk-": _open_ai,
    "LS0tLS1CRUdJTi": _token,
    ":A": _telegram,
    ".": _discord,
    "-us": _mailchimp,
    "Q~": _azure,
}


# --- places: addresses, headers, commands ----------------------------------------------------------------------------


def _address(text: str, _searched: str, at: int) -> bool:
    end = text.find("@", at, at + 4400)
    return end >= 0 and not any(space in text[at:end] for space in " \t\r\n")


def _aws(text: str, _searched: str, at: int) -> bool:
    return any(len(word) >= 40 for word in text[at : at + 110].split())


def _soon(after: int, marks: str, width: int) -> Check:
    """One of the marks stands within so many characters after the literal, which is `after` long."""

    def check(text: str, _searched: str, at: int) -> bool:
        window = text[at + after : at + after + width]
        return any(mark in window for mark in marks)

    return check


def _within(word: str, width: int) -> Check:
    """This follows within so many characters."""

    def check(_text: str, searched: str, at: int) -> bool:
        return word in searched[at : at + width]

    return check


def _session(text: str, searched: str, at: int) -> bool:
    window = text[at + 7 : at + 18]
    named = window[:1] == "-" or text[max(0, at - 1) : at] in ("-", "j", "J") or searched[max(0, at - 4) : at] == "net_"
    return named and (":" in window or "=" in window)


def _option(_text: str, searched: str, at: int) -> bool:
    """A telling word is in the option's name, which begins right after the dashes."""
    name = searched[at + 2 : at + 82]
    if not name[:1].isalnum():
        return False
    name = name.split(None, 1)[0].partition("=")[0]
    return any(word in name for word in ("pass", "pw", "token", "secret", "key", "credential"))


# What a password is called where people speak of it, and the words by which they give it. In other letters than those
# of ASCII, the patterns here know no case.
_SPOKEN = (
    "passwor passphrase passcode contrase senha wachtwoord kennwort has\u0142o heslo parola \u015fifre l\xf6senord "
    "adgangskode passord salasana парол κωδικ סיסמ كلمة पासवर्ड 密 口令 パスワード 暗証番号 비밀번호 패스워드 암호"
)
SPOKEN = (*_SPOKEN.split(), "mot de passe", "kata sandi")
_PASSWORDS = (
    r"(?:passwor[dt]|passphrase|passcode|mot[ ]de[ ]passe|contrase[\xf1n]a|senha|wachtwoord|kennwort|has[łŁ]o|heslo"
    r"|parola|[şŞ]ifre|l[öÖ]senord|adgangskode|passord|salasana|kata[ ]sandi|[пП]арол[ьяюеи]|ПАРОЛ[ЬЯЮЕИ]"
    r"|[κΚ]ωδικ[όο][ςύυ]|סיסמ[הא]|كلمة[ ](?:ال)?(?:مرور|سر)|पासवर्ड|密[码碼]|口令|パスワード|暗証番号"
    r"|비밀번호|패스워드|암호)"
)
# A value ends where text without spaces goes on: 密码是…。, パスワードは…です.
SAID = r"[^\s\"'`<>(){}\[\],;&|\\\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uff65]"
SPOKEN_FORM = (
    _PASSWORDS + r"(?:[ ]{1,2}(?:for|of|to|on|at|from|in|f\xfcr|von|zu[rm]?|de|del|du|pour|para|van|voor|для|от|к)"
    r"(?:[ ]{1,2}[^\s:=]{1,40}+){1,5}?)?"
    r"(?:[ ]{1,2}(?:is|was|ist|lautet|est|es|\xe8|\xe9|هي)(?=[ :])|[ ]{0,2}[:=：＝是为為はが는은–—])[ :]{0,3}[\"'`「]?"
    rf"({SAID}{{4,256}})"
)
_GIVEN = (
    *(":", "=", "：", "＝", "是", "为", "為", "は", "が", "는", "은", "–", "—"),
    *(" is", " was", " lautet", " est", " es", " \xe8", " \xe9", " هي"),
)


def _spoken(_text: str, searched: str, at: int) -> bool:
    window = searched[at : at + 260]
    return any(word in window for word in _GIVEN)


def _netrc(text: str, searched: str, at: int) -> bool:
    return text[at + 7 : at + 8].isspace() and "password" in searched[at : at + 1200]


def _at_line(text: str, at: int) -> bool:
    """Only a prompt and spaces stand before it on its line."""
    begin = text.rfind("\n", max(0, at - 40), at) + 1
    return (begin > 0 or at <= 40) and not text[begin:at].strip(" \t$#>%")


def _set_to(text: str, _searched: str, at: int) -> bool:
    """A command that sets a variable, whose name tells that it holds a secret."""
    words = text[at : at + 128].split()
    name = "".join(words[2:3] if words[0].lower() == "set" else words[1:2])
    return name.isupper() and _at_line(text, at) and bool(telling(name))


# --- what is assigned to a telling name ------------------------------------------------------------------------------

_MANIFEST = 4_096


def _of_cluster(text: str, searched: str, at: int) -> bool:
    """Alone at the beginning of a line, near to where it says that this is a Secret."""
    begin = text.rfind("\n", max(0, at - 40), at) + 1
    if text[begin:at].strip(" \t") or text[at : at + 60].partition(":")[2].lstrip(" \t\r")[:1] != "\n":
        return False
    return searched.find("kind: secret\n", max(0, at - _MANIFEST), at + _MANIFEST) >= 0


# What a key opens. Any other key (of a dictionary, a cache, a table) is none.
_OPENS = (
    "api aws ibm jwt enc app hmac auth access secret private account encryption signing service client master shared "
    "storage subscription functions license deploy consumer database db webhook cloudant softlayer openai anthropic"
)
KEY_OWNERS = tuple(_OPENS.split())
_SUFFIXES = frozenset(
    "prod production dev stag stage staging test live base value default plain plaintext text str".split()
)
_NAME_MAX = 24  # the longest end of a name and its suffix are shorter


def _word_end(text: str, start: int) -> int:
    end, stop = start, min(len(text), start + _NAME_MAX)
    while end < stop and (text[end] == "_" or _is_letter_or_digit(text[end])):
        end += 1
    return end


def _is_suffix(part: str) -> bool:
    return part in _SUFFIXES or (part.isdigit() and len(part) <= 2)


def _ends_name(rest: str, endings: tuple[str, ...]) -> bool:
    """Whether the rest of a word ends the name, with or without a suffix such as `_prod`."""
    for ending in endings:
        if rest.startswith(ending):
            suffix = rest[len(ending) :].removeprefix("_")
            if not suffix or _is_suffix(suffix):
                return True
    return False


def _value_follows(text: str, end: int) -> bool:
    """Whether an operator follows the name, and something after it."""
    window = text[end : end + 64]
    if window[:1] == " " and window[1:2] in _QUOTES:
        return True
    rest = window.lstrip(_QUOTES + "]*_" + _SPACES)
    if not rest:
        return len(window) == 64
    sign, after = rest[0], rest[1:].lstrip(" \t")
    if sign in "=:":
        if after[:1] in ("\r", "\n"):  # on the line below
            return sign == ":" and after.lstrip("\r\n")[:1] in (" ", "\t")
        return bool(after) or len(window) == 64
    if sign == "|":
        return bool(after) and after[0] not in "|-:\r\n"
    if sign in "(,":
        return after[:1] != "" and after[0] in _QUOTES
    if sign in "!-":
        return rest[1:2] == ("=" if sign == "!" else ">")
    return sign == ">" or rest[:7].lower().startswith(("is", "was", "string", "text", "value", "content"))


def _assigned(length: int, *endings: str) -> Check:
    """A value is assigned to a name that begins with the literal, which is `length` long."""

    def check(text: str, _searched: str, at: int) -> bool:
        end = _word_end(text, at + length)
        if not _ends_name(text[at + length : end].lower(), endings):
            return False
        if text[end : end + 1] == "-":
            suffix_end = _word_end(text, end + 1)
            suffix = text[end + 1 : suffix_end].lower()
            if suffix:
                if not _is_suffix(suffix):
                    return False
                end = suffix_end
        return _value_follows(text, end)

    return check


_ANY_KEY = _assigned(3, "")
_ANY_AUTH = _assigned(4, "")


def _key(text: str, searched: str, at: int) -> bool:
    owner = text[max(0, at - 16) : at].lower().rstrip("_. -")
    return owner.endswith(KEY_OWNERS) and _ANY_KEY(text, searched, at)


def _auth(text: str, searched: str, at: int) -> bool:
    return at > 0 and text[at - 1] in "\"'_" and _ANY_AUTH(text, searched, at)


# The literals of rules that are found in any case, in lower case.
FOLDED: dict[str, Check] = {
    **dict.fromkeys(("-----begin", "---- begin", "-----end", "---- end", "putty-user-key-file"), _always),
    **dict.fromkeys(("accountkey=", "sharedaccesskey=", "?sig=", "&sig=", "signature="), _always),
    **dict.fromkeys(("sshpass", ":5432:"), _always),
    **dict.fromkeys(("curl", "wget"), _within("-u", 440)),
    **dict.fromkeys(("mysql", "mariadb"), _within("-p", 240)),
    **dict.fromkeys(("machine", "default"), _netrc),
    **dict.fromkeys(("login", "mongo", "sqlcmd", "7z"), _within("-p", 240)),
    **dict.fromkeys(SPOKEN, _spoken),
    **dict.fromkeys(("env ", "setx ", "set -"), _set_to),
    **{word: _soon(len(word), "\"'", 10) for word in ("with password", "encrypted password", "login password")},
    "jdbc:oracle:": _always,
    "identified": _within("by", 100),
    "ldap": _within("-w", 240),
    "_authtoken": _soon(10, " ", 1),
    "redis-cli": _within("-a", 240),
    "://": _address,
    "aws": _aws,
    "authorization": _soon(13, ":=,", 9),
    "bearer": _soon(6, " \t", 1),
    "cookie": _soon(6, ":=", 7),
    "session": _session,
    "sessid": _soon(6, ":=", 4),
    **dict.fromkeys(("stringdata:", "data:"), _of_cluster),
    "--": _option,
    "pass": _assigned(4, "word", "wort", "wd", "phrase", "code", ""),
    "pw": _assigned(2, "d", ""),
    "secret": _assigned(6, ""),
    "token": _assigned(5, ""),
    "credential": _assigned(10, "s", ""),
    "auth": _auth,
    "key": _key,
}
CHECKS: dict[str, Check] = {**CASED, **FOLDED}


def long_words(text: str) -> str:
    """The words that are long enough for a vendor's token, a line each."""
    return "\n".join([word for word in text.split() if len(word) >= LONG_WORD])


# What stands in many literals, or beside them wherever their check passes: where it is not, none of them is looked for.
_COMMON = tuple("$ pass auth -- xox sk- gl gh shp sq0 _v1_ dckr_ sntry sb AT IA .com/ hv dp. = - _".split())
_BESIDE = {
    **dict.fromkeys(("curl", "wget"), "-u"),
    **dict.fromkeys(("mysql", "mariadb", "login", "mongo", "sqlcmd", "7z"), "-p"),
    **dict.fromkeys(("machine", "default"), "pass"),
    "ldap": "-w",
    "redis-cli": "-a",
}


def _grouped(checks: dict[str, Check]) -> Grouped:
    groups: dict[str, list[tuple[str, Check]]] = {}
    for literal, check in checks.items():
        common = _BESIDE.get(literal) or next((one for one in _COMMON if one in literal), "")
        groups.setdefault(common, []).append((literal, check))
    return tuple((common, tuple(some)) for common, some in groups.items())


_OTHER_LETTERS = _grouped({literal: check for literal, check in FOLDED.items() if not literal.isascii()})
_FOLDED = _grouped({literal: check for literal, check in FOLDED.items() if literal.isascii()})
_CASED = _grouped(CASED)


def suspects_text(text: str) -> bool:
    """Whether `redact` has anything to look at in this text."""
    if len(text) < 4:
        return False
    if not text.isascii() and (bare := without_unseen(text)) != text and suspects_text(bare):
        return True
    lowered = lower(text)
    return "<private" in lowered or next(_every_place(text, lowered), -1) >= 0


def suspected(texts: Sequence[str]) -> list[str]:
    """Those of many short texts in which `redact` has anything to look at, and perhaps a few others."""
    text = "\n".join(texts)
    lowered = lower(text)
    if "<private" in lowered or (not text.isascii() and without_unseen(text) != text):
        return [one for one in texts if suspects_text(one)]
    places = sorted(_every_place(text, lowered))
    found: list[str] = []
    if places:
        at, end = 0, 0
        for one in texts:
            end += len(one) + 1
            if at < len(places) and places[at] < end:
                found.append(one)
                while at < len(places) and places[at] < end:
                    at += 1
    return found


def _every_place(text: str, lowered: str) -> Iterator[int]:
    yield from _places(text, lowered, lowered, _FOLDED)
    if not text.isascii():
        yield from _places(text, lowered, lowered, _OTHER_LETTERS)
    words = long_words(text)
    if words:
        yield from _places(text, text, words, _CASED)


def _places(text: str, searched: str, holding: str, groups: Grouped) -> Iterator[int]:
    for common, checks in groups:
        if common not in holding:
            continue
        for literal, check in checks:
            if literal in holding:
                at = searched.find(literal)
                while at >= 0:
                    if check(text, searched, at):
                        yield at
                    at = searched.find(literal, at + len(literal))


# --- values ----------------------------------------------------------------------------------------------------------

# How the names of secrets end, without case and separators. What only looks like one is listed after.
_TELLING = (
    "password passwd passphrase pwd secret token apikey accesskey secretkey privatekey authkey accountkey signingkey "
    "encryptionkey credential credentials authorization cookie sessionkey"
)
TELLING = tuple(_TELLING.split())
HARMLESS = ("pagetoken", "continuationtoken", "canceltoken", "cancellationtoken", "maxtoken")


def telling(name: object) -> str:
    """The rule that the name of a value calls for, or ""."""
    if not isinstance(name, str) or len(name) > 200 or "[redacted:" in name:
        return ""
    plain = "".join([mark for mark in name.lower() if _is_letter_or_digit(mark)])
    if plain.endswith(HARMLESS) or not plain.endswith(TELLING):
        return ""
    return "password" if plain.endswith(("password", "passwd", "passphrase", "pwd")) else "secret"


def suspects(value: object, depth: int = 0) -> bool:
    """Whether `redact_value` has anything to look at in this JSON-like value."""
    if isinstance(value, str):
        return suspects_text(value)
    if not isinstance(value, (dict, list, tuple)):
        return False
    if depth >= DEEPEST:
        return True
    if isinstance(value, dict):
        if "value" in value and telling(value.get("name", value.get("key"))):
            return True
        return any(
            suspects(key)
            or (item is not None and item != "" and not isinstance(item, bool) and telling(key))
            or suspects(item, depth + 1)
            for key, item in value.items()
        )
    return any(
        suspects(item, depth + 1) or (isinstance(item, str) and item.startswith("--") and telling(item))
        for item in value
    )
