"""What a secret looks like: the table of rules.

A rule costs nothing until its word occurs. Its literals are looked for with plain string search; where one is found
and `sieve` sees that the rule could match, its pattern is matched there and nowhere else. Patterns are compiled when
first needed. A literal that is new here needs its check in `sieve`.

Keeping it linear: a pattern either cannot fail once it has entered a run of characters without a bound, or the run is
bounded, or the left edge lets a run be entered once only.

Two kinds of rule. The token of a vendor is known by its form and is taken wherever it stands. What is assigned to a
telling name (`password`, `api_key`, `token`) is taken when it looks like a value; `plausible` judges that.
"""

from __future__ import annotations

import re

from marrow.model import plausible
from marrow.model.plausible import ASSIGNED, FOLD, PROSE, assigned, is_expression, is_random, is_stand_in, run_end
from marrow.model.secret_keys import PRIVATE_KEYS
from marrow.model.secret_layouts import LAYOUTS
from marrow.model.secret_rule import Rule, whole
from marrow.model.sieve import KEY_OWNERS, SPOKEN, SPOKEN_FORM, telling

TYPE_CHECKING = False  # Importing `typing` would cost every hook a few milliseconds.
if TYPE_CHECKING:
    from marrow.model.secret_rule import Judge, Span


# A token starts after anything but a letter or digit; an escaped line break or a percent escape ends in one.
EDGE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=%[0-9A-Fa-f]{2}))"


def _vendor(name: str, literals: str, pattern: str, judge: Judge = whole) -> Rule:
    return Rule(name, tuple(literals.split()), EDGE + f"(?:{pattern})", judge)


def _openai_key(text: str, found: re.Match[str]) -> Span | None:
    """`sk-` also begins names (`sk-learn`); a key has a long piece without a separator, with digits or both cases."""
    if not re.search(r"[A-Za-z0-9]{16}", found.group()) or not whole(text, found):
        return None
    piece = max(re.findall(r"[A-Za-z0-9]+", found.group()), key=len)
    if len(piece) < 32 and not re.search(r"\d", piece) and (piece.islower() or piece.isupper()):
        return None
    return found.start(), run_end(text, found.end(), "[A-Za-z0-9_-]")


def _aws_secret(text: str, found: re.Match[str]) -> Span | None:
    """Forty characters of base64; forty hexadecimal digits are a commit."""
    start, end = found.span(found.lastindex or 0)
    return None if re.fullmatch(r"[0-9a-f]{40}|[A-Za-z/]{40}", text[start:end]) else (start, end)


VENDORS = (
    _vendor("aws-access-key", "AKIA ASIA ABIA ACCA A3T", r"A[A-Z0-9]{3}[A-Z0-9]{16}(?![A-Z0-9])"),
    _vendor(
        "aws-secret-key",
        "AKIA ASIA",
        r"A[KS]IA[A-Z0-9]{16}[\s,;:\"'|/]{1,6}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        _aws_secret,
    ),
    _vendor(
        "github-token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        r"gh[pousr]_(?:[A-Za-z0-9_]{36,}+|[A-Za-z0-9]{20,}+)|github_pat_[A-Za-z0-9_]{20,}+",
    ),
    _vendor(
        "gitlab-token",
        "glpat- gldt- glft- glsoat- glrt- glcbt- glimt- glptt- glagent- gloas- glffct- GR1348941",
        r"(?:gl[a-z]{2,5}-|GR1348941)[A-Za-z0-9_.-]{20,}+",
    ),
    _vendor(
        "slack-token",
        "xoxa- xoxb- xoxc- xoxd- xoxe xoxo- xoxp- xoxr- xoxs- xapp-",
        r"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9%/+-]{6,}+|xapp-[A-Za-z0-9-]{10,}+",
    ),
    _vendor(
        "slack-webhook", "hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/-]{8,}+)"
    ),
    _vendor(
        "discord-webhook",
        "discord.com/api discordapp.com/api",
        r"discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d+/([A-Za-z0-9_-]{20,}+)",
    ),
    _vendor("teams-webhook", "webhook.office.com/", r"webhook\.office\.com/([A-Za-z0-9_/@-]{20,}+)"),
    _vendor(
        "stripe-key",
        "sk_live_ sk_test_ rk_live_ rk_test_ whsec_",
        r"[sr]k_(?:live|test)_[A-Za-z0-9]{10,}+|whsec_[A-Za-z0-9+/=]{16,}+",
    ),
    _vendor("google-api-key", "AIza", r"AIza[A-Za-z0-9_-]{30,}+"),
    _vendor(
        "google-oauth",
        "ya29. GOCSPX- 1//0",
        r"ya29\.[A-Za-z0-9_.-]{16,}+|GOCSPX-[A-Za-z0-9_-]{16,}+|1//0[A-Za-z0-9_-]{30,}+",
    ),
    _vendor("anthropic-key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{16,}+"),
    _vendor("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-or-", r"sk-(?:proj|svcacct|admin|or)-[A-Za-z0-9_-]{16,}+"),
    _vendor("openai-key", "sk-", r"sk-(?!ant-)[A-Za-z0-9_-]{20,128}", _openai_key),
    _vendor("huggingface-token", "hf_ api_org_", r"(?:hf|api_org)_[A-Za-z0-9]{30,}+"),
    _vendor("npm-token", "npm_", r"npm_[A-Za-z0-9]{30,}+"),
    _vendor("pypi-token", "pypi-Ag", r"pypi-Ag[A-Za-z0-9_-]{40,}+"),
    _vendor("sendgrid-key", "SG.", r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}+"),
    _vendor("twilio-key", "AC SK", r"(?:AC|SK)[0-9a-z]{32}(?![A-Za-z0-9])"),
    _vendor("mailgun-key", "key-", r"key-[0-9a-f]{32}(?![A-Za-z0-9])"),
    _vendor(
        "square-token",
        "sq0atp- sq0csp- EAAA",
        r"sq0(?:atp|csp)-[A-Za-z0-9_-]{22,}+|(?<![/+])EAAA[A-Za-z0-9_-]{60}(?![\w+/=-])",
    ),
    _vendor("shopify-token", "shpat_ shpss_ shpca_ shppa_", r"shp[a-z]{2}_[A-Fa-f0-9]{32,}+"),
    _vendor("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"do[por]_v1_[a-f0-9]{40,}+"),
    _vendor("databricks-token", "dapi", r"dapi[a-f0-9]{32,}+(?:-\d)?"),
    _vendor("vault-token", "hvs. hvb. atlasv1.", r"hv[sb]\.[A-Za-z0-9_-]{20,}+|atlasv1\.[A-Za-z0-9_-]{40,}+"),
    _vendor("docker-token", "dckr_pat_ dckr_oat_", r"dckr_[po]at_[A-Za-z0-9_-]{20,}+"),
    _vendor("grafana-token", "glsa_ glc_", r"glsa_[A-Za-z0-9_]{32,}+|glc_[A-Za-z0-9+/=]{32,}+"),
    _vendor("sentry-token", "sntrys_ sntryu_", r"sntry[su]_[A-Za-z0-9_+/=-]{32,}+"),
    _vendor("atlassian-token", "ATATT3 ATBB ATCTT3", r"(?:ATATT3|ATCTT3|ATBB)[A-Za-z0-9_=-]{24,}+"),
    _vendor("artifactory-token", "AKCp cmVmdGtu", r"(?:AKCp|cmVmdGtu)[A-Za-z0-9]{10,}+"),
    _vendor("age-key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{40,}+"),
    _vendor(
        "service-token",
        "lin_api_ ntn_ figd_ pplx- gsk_ r8_ xai- tvly- rubygems_ pul- pscale_ NRAK- PMAK- dp.pt. dp.st. sbp_ "
        "sb_secret_ xkeysib- HRKU- fm2_ nvapi- fw_ csk- ",
        r"(?:lin_api_|ntn_|figd_|pplx-|gsk_|r8_|xai-|tvly-|rubygems_|pul-|pscale_(?:tkn|pw|oauth)_|NRAK-|PMAK-|dp\.[ps]t\."
        r"|sbp_|sb_secret_|xkeysib-|HRKU-|fm2_|nvapi-|fw_|csk-)(?=[A-Za-z_.+/=-]{0,24}\d)[A-Za-z0-9_.+/=-]{20,}+",
    ),
    _vendor("jwt", "eyJ", r"eyJ[A-Za-z0-9_=-]{8,1024}+\.[A-Za-z0-9_=-]{8,}+(?:\.[A-Za-z0-9_.+/=-]*+)?"),
    # These have no beginning of their own; the literal is inside, and the start is found by looking back.
    Rule("telegram-token", (":A",), r"(?<=\d{7}):(A[A-Za-z0-9_-]{34})(?![A-Za-z0-9_-])"),
    Rule(
        "discord-token",
        (".",),
        r"(?:(?<=([MNO][A-Za-z0-9_-]{23}))|(?<=([MNO][A-Za-z0-9_-]{24}))|(?<=([MNO][A-Za-z0-9_-]{25})))"
        r"\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}+",
    ),
    Rule("mailchimp-key", ("-us",), rf"(?<={EDGE}([0-9a-z]{{32}}))-us\d{{1,2}}(?!\d)"),
    Rule("azure-client-secret", ("Q~",), r"(?<=([A-Za-z0-9_~.-]{3}\d))Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])"),
)


# --- credentials in addresses, headers, commands and files -----------------------------------------------------------


def _in_address(text: str, found: re.Match[str]) -> Span | None:
    """A password before the host. Templates stay; a port with a path is no password."""
    start, end = found.start(found.lastindex or 0), found.end()
    value = text[start:end]
    template = re.match(r"[<{*%$]?[<{(*]|\$[A-Z_]+\Z|%[sdr]\Z|[xX*.]+\Z|\[redacted:", value)
    port = re.match(r"\d{1,5}(?:/|\Z)", value) and "/" in value
    return None if template or port else (start, end)


def _random_part(text: str, found: re.Match[str]) -> Span | None:
    """A value that is a secret only when it looks random."""
    start, end = found.span(found.lastindex or 0)
    return (start, run_end(text, end, "[A-Za-z0-9._~+/=-]")) if is_random(text[start:end], 8) else None


def _authorization(text: str, found: re.Match[str]) -> Span | None:
    """A header's value. A single plain word is a value only where nothing follows it."""
    start, end = found.start(found.lastindex or 0), found.end()
    value = text[start:end]
    if is_stand_in(value) or is_expression(text, end, end):
        return None
    if is_random(value, 6):
        return start, run_end(text, end)
    last = not re.match(r"[ \t]+\S|[.,;:][ \t]|\(", text[end : end + 16])
    return (start, end) if found.group(1) and last and len(value) >= 6 and value.lower() not in PROSE else None


def _cookie(text: str, found: re.Match[str]) -> Span | None:
    """Cookies that carry a session or a random value."""
    start, end = found.start(found.lastindex or 0), found.end()
    for pair in text[start:end].split(";"):
        name, _, value = pair.strip().partition("=")
        if is_random(value, 12) or (
            len(value) >= 4
            and re.search(r"sess|sid|token|auth|jwt|login", name, re.IGNORECASE)
            and not is_stand_in(value)
        ):
            return start, run_end(text, end, r"[^\r\n\"'\\]")
    return None


def _option(text: str, found: re.Match[str]) -> Span | None:
    """The value of a command's option, where a value follows and not the rest of a sentence."""
    start, end = found.start(found.lastindex or 0), found.end()
    value = text[start:end].rstrip("]),;.")
    plain = value.lower() in PROSE or (value.isalpha() and value.isupper()) or value.startswith(("-", "id=", "|"))
    if not value or plain or is_stand_in(value):
        return None
    return start, start + len(value) if len(value) < 200 else run_end(text, end)


def _given(text: str, found: re.Match[str]) -> Span | None:
    """A value in a fixed place of a command or file."""
    start, end = found.start(found.lastindex or 0), found.end()
    value = text[start:end]
    return None if is_stand_in(value) or re.fullmatch(r"\d+", value) else (start, run_end(text, end))


def _typed(text: str, found: re.Match[str]) -> Span | None:
    return None if plausible.is_of_another(found[0], found[found.lastindex or 0]) else _given(text, found)


def _logged_in_with(text: str, found: re.Match[str]) -> Span | None:
    """Only of programs whose `login` takes the password with `-p`: elsewhere that is a port, or makes parents."""
    before = text[max(0, found.start() - 48) : found.start()]
    if not re.search(r"\b(?:docker|podman|nerdctl|buildah|skopeo|helm|oras|az|cf|oc)[ ][a-z ]*\Z", before, FOLD):
        return None
    return _typed(text, found)


def _in_query(text: str, found: re.Match[str]) -> Span | None:
    """What identifies a row is no password: only where a user is made or changed."""
    before = text[max(0, found.start() - 200) : found.start()]
    is_said = found[0][:1] in "iI" and not re.search(r"\b(?:create|alter|grant)\b", before, FOLD)
    return None if is_said else _given(text, found)


def _set_to(text: str, found: re.Match[str]) -> Span | None:
    """`ENV NAME value` at the beginning of a line: nothing but the place says that it is assigned."""
    name, value = found[1], found[found.lastindex or 0]
    if not telling(name) or value.lower() in PROSE or (value.isalpha() and value.isupper()):
        return None
    return _given(text, found)


_SCHEMES = "sql postgres mongodb \\+srv redis rediss amqp amqps mariadb ftp ftps ldap ldaps mqtt mqtts smtp"
_DATABASES = "|".join(rf"(?<={scheme})" for scheme in _SCHEMES.split())
_ARGUMENT = r"""(?:"([^"\r\n]++) | '([^'\r\n]++) | ([^\s"'`]{1,256}))"""

PLACES = (
    Rule(
        "connection-string",
        ("://",),
        rf"(?:{_DATABASES}|(?<=sql\+\w{{7}})|(?<=sql\+\w{{8}}))://[^\s:/@?\#\"'<>`]{{0,128}}+:"
        r"(?:([^\s/?\#\"'<>`]{1,4096})|([^\s\"'<>`]{1,256}?))(?=@[\w.$%\[{-])",
        _in_address,
        folded=True,
    ),
    Rule(
        "url-password",
        ("://",),
        r"://[^\s:/@?\#\"'<>`]{0,128}+:([^\s/?\#\"'<>`]{1,4096})(?=@[\w.$%\[{-])",
        _in_address,
        folded=True,
    ),
    Rule(
        "url-password", ("://",), r"://([A-Za-z0-9_.~-]{20,256}+)(?=:?(?:x-oauth-basic)?@\w)", _random_part, folded=True
    ),
    Rule(
        "connection-string",
        ("jdbc:oracle:",),
        r"jdbc:oracle:[a-z0-9]{2,8}:[^\s:/@\"'<>]{1,128}/([^\s/@\"'<>]{1,128})(?=@)",
        _in_address,
        folded=True,
    ),
    Rule(
        "azure-key",
        ("accountkey=", "sharedaccesskey=", "?sig=", "&sig="),
        r"(?:(?:AccountKey|SharedAccessKey)=|[?&]sig=)([A-Za-z0-9+/%]{30,}+=*+)",
        folded=True,
        needs="=",
    ),
    Rule("signed-url", ("signature=",), r"signature=([A-Za-z0-9%+/=_-]{20,}+)", folded=True, needs="="),
    Rule(
        "aws-secret-key",
        ("aws",),
        r"aws[\w.\ -]{0,40}?[\"'\\\]]{0,3}[ \t]{0,4}(?:=>|:=|[:=,])[ \t]{0,4}[\\\"'`]{0,3}"
        r"([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        _aws_secret,
        folded=True,
    ),
    Rule(
        "authorization",
        ("authorization",),
        r"authorization(?!-)[\"'\\\]]{0,4}[ \t]{0,4}[:=,][ \t]{0,4}[\\\"'`]{0,4}(?:[fb][\"'])?"
        r"((?:bearer|basic|token|api-?key|key|ssws|negotiate|ntlm|jwt|bot|oauth)[ \t]{1,4})?"
        r"(?!!)([^\s\"'`,;<>{}()\\]{4,128}+)",
        _authorization,
        folded=True,
        needs="auth",
    ),
    Rule("bearer", ("bearer",), r"bearer[ \t]{1,4}([A-Za-z0-9._~+/=-]{8,256}+)", _random_part, folded=True),
    Rule(
        "cookie",
        ("cookie",),
        r"(?<![\w;=])cookies?[\"'\\]{0,3}[ \t]{0,2}[:=][ \t]{0,2}[\\\"']{0,3}([\w.%$-]{1,64}=[^\r\n\"'\\]{1,2048}+)",
        _cookie,
        folded=True,
    ),
    Rule(
        "session-id",
        ("session", "sessid"),
        r"(?:(?<=x-)session(?:-id|-token)?|session-(?:id|token)|(?<=j)sessionid|(?<=asp.net_)sessionid|sessid)"
        r"[\"']?[ \t]{0,2}[:=][ \t]{0,2}[\"']?([\w.%+/=-]{8,}+)",
        folded=True,
        needs="sess",
    ),
    Rule(
        "option",
        ("--",),
        r"(?<![\w-])--(?:[a-z0-9]{1,20}+[_.-]){0,3}"
        r"(?:password|passwd|passphrase|pass|pwd|pw|token|secret|(?:api|access|secret)[_-]?key|credentials?)"
        rf"(?:[ \t]{{1,4}}|=){_ARGUMENT}",
        _option,
        folded=True,
        needs="--",
    ),
    Rule(
        "option",
        ("curl", "wget"),
        r"(?:curl|wget)\b[^|;]{0,400}?\s(?:-u|--user|--proxy-user)[= ]?[\"']?[^\s:\"']{1,64}:([^\s\"']{1,256})",
        _given,
        folded=True,
        needs="-",
    ),
    Rule("option", ("sshpass",), rf"sshpass\s+-p\s*{_ARGUMENT}", _given, folded=True, needs="pass"),
    Rule(
        "option",
        ("mysql", "mariadb"),
        rf"(?:mysql|mariadb)[a-z-]{{0,12}}[ ][^\r\n|;]{{0,200}}?(?<=\s)-p(?!rotocol|ort|ager|lugin|assword){_ARGUMENT}",
        _given,
        folded=True,
        needs="-p",
    ),
    Rule(
        "option", ("redis-cli",), rf"redis-cli\b[^\r\n|;]{{0,200}}?\s-a\s+{_ARGUMENT}", _given, folded=True, needs="-"
    ),
    Rule(
        "option",
        ("login",),
        rf"login\b[^\r\n|;]{{0,200}}?\s-p(?:[ ]{{1,4}}|=){_ARGUMENT}",
        _logged_in_with,
        folded=True,
        needs="-p",
    ),
    Rule(
        "option",
        ("mongo", "sqlcmd"),
        rf"(?:mongo[a-z]{{0,12}}|sqlcmd)\b[^\r\n|;]{{0,200}}?\s-p[ ]{{0,4}}{_ARGUMENT}",
        _typed,
        folded=True,
        needs="-p",
    ),
    Rule("option", ("7z",), rf"7z[a-z]?\b[^\r\n|;]{{0,200}}?\s-p{_ARGUMENT}", _typed, folded=True, needs="-p"),
    Rule(
        "option",
        ("ldap",),
        rf"ldap[a-z]{{2,12}}\b[^\r\n|;]{{0,200}}?\s(?-i:-w)[ ]{{0,4}}{_ARGUMENT}",
        _typed,
        folded=True,
        needs="-w",
    ),
    Rule("option", ("_authtoken",), r"_authtoken[ ]{1,4}([^\s\"'`]{8,256})", _random_part, folded=True, needs="_"),
    Rule(
        "password",
        SPOKEN,
        SPOKEN_FORM,
        plausible.spoken,
        folded=True,
    ),
    Rule(
        "password",
        ("identified", "with password", "encrypted password", "login password"),
        r"(?:identified(?:\s{1,4}with\s{1,4}[\w\"'`]{1,60})?\s{1,8}by(?:\s{1,4}password)?"
        r"|(?:with|encrypted|login)[ ]password)\s{1,8}(?:\"([^\"\r\n]{1,256}) | '([^'\r\n]{1,256}))",
        _in_query,
        folded=True,
    ),
    Rule(
        "secret",
        ("env ", "setx ", "set -"),
        # The name is in capitals, as of nothing else at the beginning of a sentence.
        rf"(?:env|setx|set[ ]-[a-z]{{1,4}})[ \t]{{1,8}}((?-i:[A-Z][A-Z0-9_]{{2,80}}))[ \t]{{1,8}}(?!=){_ARGUMENT}",
        _set_to,
        folded=True,
    ),
    Rule(
        "netrc",
        ("machine", "default"),
        r"(?:machine\s{1,8}(?:[\w-]{1,64}+\.[\w.-]{1,200}+|localhost)|(?<!\S)default(?=\s{1,8}(?:login|account)))\s{1,8}"
        r"(?:(?:login|account)\s{1,8}\S{1,128}\s{1,8}){0,2}password\s{1,8}(\"[^\"\r\n]{1,256}\"|\S{1,256})",
        _given,
        folded=True,
        needs="password",
    ),
    Rule(
        "pgpass",
        (":5432:",),
        r":5432:[^:\s]{1,64}:[^:\s]{1,64}:([^\s:]{1,128})(?=\s|\Z)",
        _given,
        folded=True,
        needs=":",
    ),
)


# --- what is assigned to a telling name ------------------------------------------------------------------------------


def _assigned_key(text: str, found: re.Match[str]) -> Span | None:
    """`key` tells nothing by itself: the word before it has to."""
    at = found.start()
    owner = text[max(0, at - 16) : at].lower().rstrip("_. -")
    return assigned(text, found) if owner.endswith(KEY_OWNERS) else None


# One pattern for all names, because compiling it is most of what a short text costs.
_TELLING = (
    r"(?:pass(?:word|wort|wd|phrase|code)|pwd|(?<![a-z])pw|(?<![a-z])pass|(?-i:(?<=[a-z])Pass)"
    rf"|secret|(?<!publickey)token|credentials?|key|(?<=[\"'_])auth){ASSIGNED}"
)

ASSIGNMENTS = (
    Rule("password", ("pass", "pw"), _TELLING, assigned, folded=True),
    Rule("secret", ("secret", "token", "credential", "auth"), _TELLING, assigned, folded=True),
    Rule("secret", ("key",), _TELLING, _assigned_key, folded=True),
)

RULES = (*VENDORS, *PRIVATE_KEYS, *PLACES, *ASSIGNMENTS, *LAYOUTS)
