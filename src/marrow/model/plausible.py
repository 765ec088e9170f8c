"""Whether a value is a secret, or only stands where one would be.

A name such as `password` or `api_key` says that a secret may follow. These functions look at what follows: prose, code,
templates and stand-ins stay, what looks like a value goes. `changeme`, `<your-token>`, `${TOKEN}`, `xxxx` and `***` are
stand-ins. All patterns are possessive or bounded, so that no text makes them slow.
"""

from __future__ import annotations

import re

from marrow.model.sieve import SAID

TYPE_CHECKING = False  # Importing `typing` would cost every hook a few milliseconds.
if TYPE_CHECKING:
    Span = tuple[int, int]

FOLD = re.IGNORECASE | re.ASCII
LONGEST = 512  # Characters of a value that are looked at; what is longer is judged by its beginning.

# Values that stand where a secret would be: templates, masks, references to where it is kept, addresses and paths.
STAND_IN = r"""(?:
    [\W_]*+                                           # no letter and no digit: *** ... ----
  | [x*.\u2022\u2026_\-\s\#0]++                       # xxxx-xxxx
  | <.* | \[.*\][+*]? | \#[0-9a-f]{3,8} | \$?\{.* | \$\(.* | \#\{.* | %\(.* | %\w++% | \$env:.* | !\w++[ ].*
  | (?:your|my|our|some|any|an?|the|this|insert|enter|add|put|use|replace|paste|example|sample|dummy|fake|mock|test
      |foo|bar|new|old|user|valid|invalid|wrong|bad|no|not)[ _.\-][a-z _.\-]*+\d{0,3}
  | your[a-z_\-]*+ | change[ _\-]?(?:me|this|it)\W*+ | replace[ _\-]?(?:me|this|with.*)
  | (?:os|process|env|environ|secrets?|vars?|vault|op|arn|ssm|kms|config|conf|cfg|settings?|self|this|args?|opts?
      |options?|request|req|params?|ctx|local|module|github|inputs?|data|keyring|getpass|event|state|props)[.:\[(/].*
  | [a-z_\-]{0,40}(?:dummy|fake|placeholder|example|sample)[a-z_\-]{0,40}
  | [a-z][a-z0-9+.\-]{1,20}://.*
  | (?:[a-z]:)?\\.* | [a-z]:/.*
  | /(?:Users|home|etc|var|run|opt|tmp|usr|root|mnt|srv|app|private|Library|Applications|workspace)/.*
)"""
# Parts that make a value a stand-in: a mask or a cut, a place to fill in, a regular expression.
STAND_IN_PART = (
    r"\*\*\*|\.\.\.|\u2026|\u2022\u2022\u2022|xxxx|XXXX|%[sdr](?![A-Za-z0-9])|[_\- ](?:here|HERE)\Z"
    r"|\[\^|\(\?[:=!<P]|\\[wdsbWDSB]\b"
)
# In this one, case tells: an environment variable, a plain variable, a path in lower case, a name in capitals.
STAND_IN_BY_CASE = r"(?:\$(?:[A-Z0-9_]++|[a-z_]++)|(?:~|\.{1,2})?(?:/[a-z0-9._\-]{1,60}+)++/?|[A-Z]++(?:_[A-Z]++)++)"

# Words that describe a secret instead of being one.
_WORDS = """
    str string text char varchar bytes byte int integer number bool boolean object array list dict map any never void
    unknown optional required nullable type types secretstr true false yes no on off none null nil undefined empty
    blank default example sample placeholder dummy redacted removed hidden masked private public encrypted hashed
    plaintext plain password passwd passphrase pwd pass secret secrets token tokens key keys apikey api_key api-key
    credential credentials username user email login auth oauth basic bearer jwt digest scheme authentication
    authorization header value name field input output self this todo tbd fixme missing invalid expired revoked valid
    wrong disabled enabled supported unsupported absent present unset notset argon2 bcrypt scrypt current new old
    confirm submit reset forgot sensitive changeme changeit file env environment vault keyring keychain prompt stdin
"""
WORDS = frozenset(_WORDS.split())

# Names, numbers and versions that have digits and are no secrets: 256-bit, v1.2.3, sha256, int64, 2024-01-31, x509,
# 2FA-protected.
ORDINARY = r"""(?:
    v?\d+(?:\.\d+)+\S* | \d{1,6}[a-z%]{0,10}(?:/[a-z]+)? | \d{1,5}-[a-z][a-z\-]*+ | \d{4}-\d\d-\d\d\S*
  | (?:argon|pbkdf|sha|md|base|oauth|utf|hs|rs|es|ps|aes|rsa|hmac|bcrypt|scrypt|u?int|float|bytes|varchar|char|string
      |http|tls|ssl|gpt|python|claude|llama|cl|o|iso|rfc|ipv|web|auth|pkcs|cve)[\-_]?\d+[a-z0-9_\-]{0,12}
  | [a-z0-9]{2,6}-(?:protected|secured|encrypted|encoded|hashed|signed|backed|based|only|enabled|managed|stored|gated)
  | x509 | x25519 | ed25519 | k8s | i18n | l10n | a11y | [iuf](?:8|16|32|64|128)
)"""

# Words joined by separators or capitals, each with at most a short number at its end: `prod-db-2`, `accessToken`.
_PART = r"(?:[A-Z]?(?:[a-z]{3,}+|my|to|id|is|of|in|on|by|db|at|no|ok|ms|pw)|[A-Z]{2,8}+)++"
NAMES = rf"{_PART}\d{{0,3}}+(?:[_\-. /:@]++(?:{_PART}\d{{0,3}}+|v?\d{{1,4}}+))*+"

# Words that follow an option or a name in a sentence.
_PROSE = """
    a after again all also an and are as at be because before but by can cannot could did do does each either else
    every flag flags for from given had has have how if in instead into is isn't it its itself like may means might
    must needs no not of on once only option options or over parameter per prompts rather reads requires returns
    setting shall should since so switch takes than that the them then there these they those through to together too
    twice under until unless used uses using via was were what when where whether which while who will with within
    without works would you your argument arguments command here
"""
PROSE = frozenset(_PROSE.split())
FILE = (
    r"(?:[\w.-]+/)*[\w.-]+\.(?:pyi?|[jt]sx?|go|rs|java|kt|rb|php|cs|[ch](?:pp)?|md|ya?ml|json|toml|txt|sh|cfg|ini|env|"
    r"sql|html?|css)(?::{1,2}[\w:.-]*)?"
)


def is_file(value: str) -> bool:
    """Whether this names a source file, perhaps with a place in it."""
    return re.fullmatch(FILE, value) is not None


def is_stand_in(value: str) -> bool:
    """Whether this stands where a secret would be, and is none."""
    bare = value.strip().rstrip(".,;:!?")[:LONGEST]
    if bare.lower() in WORDS or "[redacted:" in value:
        return True
    if re.fullmatch(STAND_IN_BY_CASE, bare, re.ASCII):
        return True
    if re.search(STAND_IN_PART, value[:LONGEST]):
        return True
    return re.fullmatch(STAND_IN, bare, re.IGNORECASE | re.VERBOSE | re.DOTALL) is not None


def is_random(value: str, shortest: int) -> bool:
    """Whether this looks chosen to be hard to guess: no word, no name, no number, no stand-in."""
    bare = value.rstrip(".,;:!?)")[:LONGEST]
    mixed = re.search(r"[0-9!@#$^~]", bare)
    # Without a digit or a sign it is a word or a name, unless it is too long for one.
    if len(bare) < shortest or (not mixed and (len(bare) < 16 or not bare.isalnum())):
        return False
    # In writing without spaces a sentence would look like one word with a number.
    if re.search(r"\s", bare) or not re.search(r"[A-Za-z\u00c0-\u052f]", bare) or is_stand_in(bare):
        return False
    if re.fullmatch(ORDINARY, bare, FOLD | re.VERBOSE):
        return False
    named = re.fullmatch(NAMES, bare, re.ASCII) is not None
    if mixed:
        # A single word with a number (hunter2) is a password more often than a name, unless it tells what it names.
        single = not re.search(r"[_\-. /:@A-Z]", bare)
        return not named or (single and not re.search(r"pass|pwd|secret|token|key|cred|auth|user|name", bare))
    return len(bare) >= 20 if bare.islower() or bare.isupper() else not named


def is_of_another(command: str, value: str) -> bool:
    """Whether the value after an option of one letter is meant for another program on the line: `docker run --name
    mongo -p 27017:27017`, `ldapsearch ... through grep -w uid`."""
    if value.startswith("-") or value in PROSE or re.fullmatch(r"[\d.:]*:\d+(?:/\w+)?", value):
        return True
    return re.search(r"\b(?:mkdir|grep|wc|pytest)\s+-[pwPW]\b", command) is not None


def is_expression(text: str, start: int, end: int) -> bool:
    """Whether an unquoted value is code: a call, an index, an attribute, a plain name."""
    if text[end : end + 1] in ("(", "[", "{") or text.startswith("/^", start):
        return True
    value = text[start:end]
    if re.fullmatch(
        r"[A-Za-z_$]++|\w*(?:Private|Public|Secret)Key\w*|\w*(?:Token|Password|Credential)\w*", value, re.ASCII
    ):
        return True  # a name, or a type such as Ed25519PrivateKey
    path = r"[A-Za-z_$][\w$]{0,24}+(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]{0,24}+)++"
    return re.fullmatch(path, value, re.ASCII) is not None


def is_assigned_string(value: str, operator: str, *, password: bool, phrase: bool = False) -> bool:
    """Whether a quoted string that is assigned, compared or given to a telling name is the secret."""
    if operator in ("(", ","):
        return re.search(r"\d", value) is not None and is_random(value, 6 if password else 12)
    if not password:
        return is_random(value, 6)
    if len(value) < 3 or is_stand_in(value):
        return False
    if re.search(r"\s", value):
        # Several words are a label or a message, unless the name asks for a phrase.
        label = re.search(r"pass|secret|enter|your|must|required|please|invalid|\bthe\b|characters", value, FOLD)
        return not label and (phrase or re.search(r"\d", value) is not None)
    return True


def run_end(text: str, end: int, characters: str = r"[^\s\"'`]") -> int:
    """Where the run of these characters ends. Patterns look at a bounded part of a value; all of it has to go."""
    rest = re.compile(f"{characters}*+", re.ASCII).match(text, end)
    return rest.end() if rest else end


_DATABASE = r"(?:\bhost|server|\buser(?: id|name)?|uid|dbname|database|data source|initial catalog|\bport)\s?=[^,()]*$"


def literal_place(text: str, start: int, name_end: int, operator: str, value_end: int) -> str:
    """The kind of place where only a value can follow, or "": shell, query, header or database.

    `start` is inside the name, which reaches to `name_end`; `operator` follows it without a space.
    """
    low = max(0, start - 64)
    while start > low and (text[start - 1] in "_-" or (text[start - 1].isascii() and text[start - 1].isalnum())):
        start -= 1
    name = text[start:name_end]
    before = text[max(0, start - 200) : start]
    if operator == ":":
        header = name.lower().startswith("x-") or name.lower() == "private-token"
        return "header" if header and name[-1].isalnum() else ""
    if operator != "=":
        return ""
    if before.endswith(("?", "&")):
        return "query"
    if name.isupper() and (not before or before[-1] in " \t\r\n\"'`;:"):
        return "shell"
    if before.endswith(("export ", "-e ", "--env ", "ENV ", "set ")):
        return "shell"
    line = before[before.rfind("\n") + 1 :]
    if re.search(_DATABASE, line, FOLD) or re.match(r";\s?[A-Za-z ]{2,24}=[^=]", text[value_end : value_end + 32]):
        return "database"
    return ""


# What may stand between a telling name and its value. Groups 1 to 6 are operators, 7 to 11 values:
# three kinds of quotes, quotes that are escaped themselves, and none.
ASSIGNED = r"""
    (?:[_-]?(?:prod(?:uction)?|dev|stag(?:e|ing)|test|live|base|value|default|plain(?:text)?|text|str|\d{1,2}))?+
    (?!-?[A-Za-z0-9_])
    (?: (?:\\*+["'`])?+\]?+                                                  # the end of a quoted name or of an index
        (?:[ \t]{1,2}(?:string|text))?+
        (?:[ \t]{0,2}:[ \t]{0,2}[A-Za-z_.&?|\[\]'\ *]{1,40}?(?=[ \t]{0,2}=[^=]))? # a type
        [ \t]{0,12}+(=>|:=|->|={1,3}|!==?|:)[ \t]{0,12}+
        (?:\(\s{0,40}+(?=[A-Za-z]{0,2}["'`]))?+                    # in brackets, for a line of its own
        (?:[A-Za-z@]{1,2}(?=["'`]))?+
        (?:(?:"{3}|'{3})\s{0,40}+ | [|>][+-]?\d?[ \t]{0,4}\r?\n[ \t]{1,40}+)?+   # over lines, or a block of YAML
      | ["']?\s{1,4}(?:value|content)\s?(=)\s?
      | (\(|(?<=[A-Za-z])[ ](?=["'`][^"'`\s]))[ \t]{0,4}(?=["'`\\])     # also `password "..."` in a sentence
      | ["'`](,)[ \t]{0,4}(?=["'`\\])
      | [ \t](is|was)[ \t:]{1,3}
      | ["']?(>)(?=[^<>\s])
    )
    (?: "((?:[^"\\\r\n]++|\\[^\r\n])++) | '((?:[^'\\\r\n]++|\\[^\r\n])++) | `((?:[^`\\\r\n]++|\\[^\r\n])++)
      | \\++["'`]((?:[^"'`\\\r\n]++|\\++(?!["'`\\]))++)
      | ([^\s"'`<>(){}\[\],;&|\\]{1,256})
    )"""
BARE = r"[^\s\"'`<>(){}\[\],;&|\\]"
_BARE_GROUP = 11


def assigned(text: str, found: re.Match[str]) -> Span | None:
    """A value that follows a telling name: quoted, bare, in an element, or said in a sentence."""
    group = found.lastindex or 0
    start, end = found.span(group)
    sign = next(index for index in range(1, 7) if found.group(index))
    is_in_sentence = found.group(sign) == " "
    operator = "(" if is_in_sentence else found.group(sign)
    touching = found.end(sign) == start or text[found.end(sign)] in "\"'`"
    name = text[found.start() : found.start() + 6].lower()
    password = name.startswith(("passw", "passp", "passc", "pwd", "pw"))
    if is_in_sentence and not password and name.startswith(("pass", "auth")):
        return None  # a verb
    place = literal_place(text, found.start(), found.start(sign), operator, end) if touching or operator == ":" else ""
    if name.startswith("auth") or (operator in ("(", ",") and name.startswith("pass") and not password):
        # `auth` also names methods, and `pass` also begins the names of tests: only what is long and random.
        if not is_random(text[start:end], 12):
            return None
        return start, run_end(text, end, BARE) if group == _BARE_GROUP else end
    if group != _BARE_GROUP:
        known = password or (place == "shell" and operator == "=")
        taken = is_assigned_string(text[start:end], operator, password=known, phrase=name == "passph")
        return (start, end) if taken else None
    taken_bare = _assigned_bare(text, start, end, operator, password=password, place=place, touching=touching)
    if taken_bare and re.match(r"[ \t]*[|>]", text[found.end(sign) : start]):
        return start, _block_end(text, *taken_bare)
    return taken_bare


def _block_end(text: str, start: int, end: int) -> int:
    """Where the lines end that are indented at least as far as the first of a block is; between them some are empty."""
    indent = text[text.rfind("\n", 0, start) + 1 : start]
    empty = r"(?:\r?\n[ \t]*+(?=\r?\n))*+"
    more = re.compile(rf"(?:[^\r\n]*+{empty}\r?\n{re.escape(indent)}[ \t]*+(?=\S))*+[^\s]*+")
    rest = more.match(text, end)
    return rest.end() if rest else end


# `<entry key="db.password">`, `<property name="password">`.
_NAMING = r"""\b(?:key|name|id|property)\s?=\s?["'][\w.:-]{1,64}["']>\Z"""


def _assigned_bare(
    text: str, start: int, end: int, operator: str, *, password: bool, place: str, touching: bool
) -> Span | None:
    value = text[start:end]
    if operator == ">":
        closed = text.startswith("</", end)
        if text[start - 2] in "\"'":  # the name is that of an attribute, and no text for people follows
            named = re.search(_NAMING, text[max(0, start - 80) : start], FOLD)
            return (start, end) if closed and named and is_random(value, 6) else None
        closed = closed and (is_random(value, 6) or (password and not is_stand_in(value)))
        return (start, end) if closed else None
    if place:
        if is_stand_in(value):
            return None
        called = re.match(
            r"[A-Za-z_][\w.]{0,64}+\((?:[^\s\"'`]{0,64}\)|[bfru]?(?=[\"'`]))", text[start : start + LONGEST]
        )
        if called or (value.isdigit() and not password):
            return None
        # All of it belongs to the value, also what would end one in code.
        stop = run_end(text, end) if place in ("shell", "header") else run_end(text, end, r"[^\s\"'`&;]")
        return (start, stop) if stop - start >= 3 else None
    if is_expression(text, start, end):
        return None
    said = operator in ("is", "was")
    loose = said or (operator == "=" and not touching)
    number = password and not said and re.fullmatch(r"\d{6,}", value)
    if not number and not is_random(value, 8 if loose and not password else 6):
        return None
    if loose and not password and re.fullmatch(r"[a-z]+\d{1,3}", value):
        return None  # a variable with a number
    return start, run_end(text, end, BARE)


def spoken(text: str, found: re.Match[str]) -> tuple[int, int] | None:
    """A password that a sentence gives, with what it opens in between: only what looks like one."""
    start, end = found.span(1)
    # After a colon a word with a number is no name, whatever its capitals.
    is_set_off = text[found.start() : start].rstrip(" \"'`「")[-1:] in (":", "=", "：", "＝")
    value = found[1].lower() if is_set_off else found[1]
    return (start, run_end(text, end, SAID)) if is_random(value, 6) and not is_file(value) else None
