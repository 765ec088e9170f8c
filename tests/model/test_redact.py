"""Redaction: what must go, what must stay, and that neither text nor size can defeat it.

The secrets are those of `secret_corpus`, all false. detect-secrets serves as the oracle: what its detectors find in
the corpus must be gone.
"""

from __future__ import annotations

import importlib
import string
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.model import redact as redact_module
from marrow.model.errors import Invalid
from marrow.model.redact import NAMES, UNSETTLED, Redacted, RedactedValue, redact, redact_value
from marrow.model.secrets import RULES

from .secret_corpus import CORPUS, PLACED, STAYS, TOKENS, body

FISH = "sword" + "fish"
NAMED = "api" + "_key"
ORACLE = """
    artifactory.ArtifactoryDetector aws.AWSKeyDetector azure_storage_key.AzureStorageKeyDetector
    basic_auth.BasicAuthDetector cloudant.CloudantDetector discord.DiscordBotTokenDetector
    github_token.GitHubTokenDetector gitlab_token.GitLabTokenDetector ibm_cloud_iam.IbmCloudIamDetector
    ibm_cos_hmac.IbmCosHmacDetector jwt.JwtTokenDetector keyword.KeywordDetector mailchimp.MailchimpDetector
    npm.NpmDetector openai.OpenAIDetector private_key.PrivateKeyDetector pypi_token.PypiTokenDetector
    sendgrid.SendGridDetector slack.SlackDetector softlayer.SoftlayerDetector square_oauth.SquareOAuthDetector
    stripe.StripeDetector telegram_token.TelegramBotTokenDetector twilio.TwilioKeyDetector
"""


def test_corpus_is_large_enough_and_covers_every_rule() -> None:
    assert len(CORPUS) >= 60
    assert {rule.name for rule in RULES} - {rule for rule, _, _ in CORPUS} == set()


@pytest.mark.parametrize(("rule", "place", "secret"), CORPUS)
def test_secret_is_removed_counted_and_named_by_its_rule(rule: str, place: str, secret: str) -> None:
    result = redact(f"Before.\n{place.format(secret)}\nAfter.")
    assert secret not in result.text
    assert all(line not in result.text for line in secret.splitlines())
    assert dict(result.counts)[rule] == 1
    assert result.total == sum(count for _, count in result.counts)
    assert f"[redacted:{rule}]" in result.text
    assert result.text.startswith("Before.\n")
    assert result.text.endswith("\nAfter.")
    assert redact(result.text) == Redacted(result.text)


@pytest.mark.parametrize("text", STAYS)
def test_text_that_only_speaks_of_secrets_stays_whole(text: str) -> None:
    assert redact(text) == Redacted(text)


@pytest.mark.parametrize("plugin", ORACLE.split())
def test_nothing_that_detect_secrets_finds_is_left(plugin: str) -> None:
    module, name = plugin.split(".")
    detector = getattr(importlib.import_module(f"detect_secrets.plugins.{module}"), name)()
    seen = 0
    for _, place, secret in CORPUS:
        text = place.format(secret)
        after = redact(text).text
        for line in text.splitlines():
            for finding in detector.analyze_string(line):
                seen += 1
                assert finding not in after
        for line in after.splitlines():
            assert not [left for left in detector.analyze_string(line) if "[redacted:" not in left]
    assert seen > 0


def test_host_user_and_scheme_of_an_address_stay() -> None:
    text = "postgres://app:" + "pw" + "@db.internal:5432/main"
    assert redact(text).text == "postgres://app:[redacted:connection-string]@db.internal:5432/main"


def test_two_secrets_in_one_line_are_counted_apart() -> None:
    first, second = TOKENS["github-token"][:2]
    assert redact(f"{first} {second}").counts == (("github-token", 2),)


def test_token_inside_an_assignment_is_one_secret_with_the_better_name() -> None:
    assert redact(f'token = "{TOKENS["npm-token"][0]}"').counts == (("npm-token", 1),)


def test_secret_longer_than_what_a_pattern_looks_at_is_removed_to_its_end() -> None:
    secret = body(3000)
    for place in (
        "PASSWORD={}",
        "api_key: {}",
        "--token {}",
        "Bearer {}",
        "https://a:{}@b.c",
        "Authorization: Bearer {}",
    ):
        assert redact(place.format(secret)).text.count(secret[-8:]) == 0


def test_secret_after_an_escaped_line_break_is_removed() -> None:
    for _, place, secret in CORPUS[: len(CORPUS) - len(PLACED)]:
        assert secret not in redact(f'{{"text": "one\\n{place.format(secret)}\\ntwo"}}').text


@pytest.mark.parametrize(
    ("text", "left", "blocks"),
    [
        ("a<private>b</private>c", "ac", 1),
        ("a <PRIVATE>b\nc</Private > d", "a  d", 1),
        ('a<private reason="x" until=2>b</private>c', "ac", 1),
        ("a<private>b<private>c</private>d</private>e", "ae", 1),
        ("a<private>b</private>c<private>d</private>e", "ace", 2),
        ("a<private>b", "a", 1),
        ("a<private>b<private>c</private>d", "a", 1),
        ("<private>all of it</private>", "", 1),
        ("a</private>b", "a</private>b", 0),
        ("<privateer>b</privateer>", "<privateer>b</privateer>", 0),
        ("<pri<private>x</private>vate>b</private>c", "c", 2),
    ],
)
def test_private_blocks_are_dropped(text: str, left: str, blocks: int) -> None:
    assert redact(text) == Redacted(left, (("private", blocks),) if blocks else ())


def test_secret_whose_halves_are_joined_by_a_dropped_block_is_removed() -> None:
    result = redact("pass<private>x</private>word=" + "hunter2")
    assert result == Redacted("password=[redacted:password]", (("password", 1), ("private", 1)))


def test_text_that_never_settles_is_removed_as_a_whole() -> None:
    text = "<pri" * 200 + "<private></private>" + "vate></private>" * 200
    result = redact(text)
    assert result.text == "[redacted:unsettled]"
    assert redact(result.text) == Redacted(result.text)


def test_patterns_of_the_project_are_removed_too() -> None:
    result = redact("ticket ACME-1234 and ACME-77, zone north", extra=[r"ACME-\d+", r"zone (?P<secret>\w+)"])
    assert result == Redacted("ticket [redacted:extra] and [redacted:extra], zone [redacted:extra]", (("extra", 3),))


@pytest.mark.parametrize("pattern", [".*", "", "redacted", r"\w+", r"[\[\]]", "x*"])
def test_pattern_of_the_project_cannot_undo_idempotence(pattern: str) -> None:
    once = redact("some xx text [redacted:secret] y", extra=[pattern])
    assert redact(once.text, extra=[pattern]) == Redacted(once.text)


@pytest.mark.parametrize("extra", [["("], ["a{99999999999}"], "abc", [3]])
def test_invalid_pattern_of_the_project_is_an_error_that_names_the_setting(extra: list[str]) -> None:
    with pytest.raises(Invalid) as caught:
        redact("text", extra=extra)
    assert caught.value.field == "redact.extra"
    assert caught.value.hint


def test_values_under_telling_keys_are_removed() -> None:
    value = {
        "password": FISH,
        "nested": [{"apiKey": "abc"}, {"access_token": ["a1", "b2"]}, ("x", "y")],
        "PIN_PASSWORD": 1234,
        "env": [{"name": "API_KEY", "value": "abc"}, {"name": "PORT", "value": "80"}],
        "args": ["--password", "foo", "--port", "80"],
        "note": "password = " + '"hunter2"',
    }
    result = redact_value(value)
    assert result.value == {
        "password": "[redacted:password]",
        "nested": [
            {"apiKey": "[redacted:secret]"},
            {"access_token": ["[redacted:secret]", "[redacted:secret]"]},
            ("x", "y"),
        ],
        "PIN_PASSWORD": "[redacted:password]",
        "env": [{"name": "API_KEY", "value": "[redacted:secret]"}, {"name": "PORT", "value": "80"}],
        "args": ["--password", "[redacted:password]", "--port", "80"],
        "note": 'password = "[redacted:password]"',
    }
    assert result.counts == (("password", 4), ("secret", 4))
    assert redact_value(result.value) == RedactedValue(result.value)


def test_values_under_harmless_keys_stay() -> None:
    value = {
        "tokens": 12, "token_count": "12", "password": None, "token": "", "sec" + "ret": "${SECRET}", "ok": True,
        "next_page_token": "CAUQAA", "password" + "_hint": "a pet", NAMED: "<your-key>", 7: 1.5,
    }  # fmt: skip
    assert redact_value(value) == RedactedValue(value)


def test_keys_that_are_secrets_are_removed_and_stay_apart() -> None:
    first, second = TOKENS["github-token"][:2]
    result = redact_value({first: 1, second: 2})
    assert result == RedactedValue(
        {"[redacted:github-token]": 1, "[redacted:github-token]#2": 2}, (("github-token", 2),)
    )


def test_value_that_is_nested_too_deeply_is_removed_below() -> None:
    value: object = "swordfish"
    for _ in range(5000):
        value = [value]
    result = redact_value(value)
    assert result.counts == (("too-deep", 1),)
    assert redact_value(result.value) == RedactedValue(result.value)


def test_result_does_not_change() -> None:
    with pytest.raises(AttributeError):
        redact("a").text = "b"


def test_lower_case_keeps_every_position_but_for_one_letter() -> None:
    assert [letter for letter in map(chr, range(sys.maxunicode + 1)) if len(letter.lower()) != 1] == ["\u0130"]
    assert redact("\u0130 password = " + '"hunter2"').text == '\u0130 password = "[redacted:password]"'


def test_import_is_light_enough_for_a_hook() -> None:
    package = Path(redact_module.__file__).parent
    code = (
        "import sys; from types import ModuleType\n"
        "for name, path in (('marrow', sys.argv[1]), ('marrow.model', sys.argv[2])):\n"
        "    sys.modules[name] = ModuleType(name); sys.modules[name].__path__ = [path]\n"
        "import marrow.model.redact\n"
        "print(*sys.modules)"
    )
    command = [sys.executable, "-S", "-c", code, str(package.parent), str(package)]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert "marrow.model.redact" in loaded
    assert not {"dataclasses", "typing", "inspect", "json", "detect_secrets"} & set(loaded)


fragments = st.sampled_from([place.format(secret) for _, place, secret in CORPUS] + STAYS)
joints = st.sampled_from(
    [
        *("password", "token", "=", ": ", '"', "'", "\\", "\n", "(", ".", "@", "is ", "hunter2", "sk-", "eyJ", "--"),
        *("<private>", "</private>", "-----BEGIN ", "PRIVATE KEY-----", "[redacted:", "[redacted:secret]", "://"),
        *("Bearer ", "cookie="),
    ]
)
mixtures = st.lists(st.one_of(fragments, joints, st.text(max_size=12)), max_size=12).map("".join)


def test_a_secret_and_a_private_block_over_lines_leave_their_line_ends_to_who_keeps_lines() -> None:
    key = f"-----BEGIN PRIVATE KEY-----\n{body(64)}\n{body(64)}\n-----END PRIVATE KEY-----"
    text = f"one\n{key}\nsix\n<private>\nno\n</private>\nten"
    assert redact(text).text == "one\n[redacted:private-key]\nsix\n\nten"
    assert redact(text, keep_lines=True).text == "one\n[redacted:private-key]\n\n\n\nsix\n\n\n\nten"
    assert redact(text, keep_lines=True).counts == redact(text).counts
    assert redact("<private>\n\nnever closed", keep_lines=True).text == "\n\n"
    assert redact("one\n</private>two", keep_lines=True).text == "one\n</private>two"


@given(mixtures)
def test_with_its_lines_a_text_has_as_many_as_before_and_nothing_is_left_in_it(text: str) -> None:
    found = redact(text, keep_lines=True)
    if UNSETTLED not in dict(found.counts):
        assert found.text.count("\n") == text.count("\n")
    assert redact(found.text, keep_lines=True) == Redacted(found.text)
    assert redact(found.text) == Redacted(found.text)


@given(st.one_of(st.text(), mixtures))
def test_redacting_again_changes_and_counts_nothing(text: str) -> None:
    once = redact(text)
    assert redact(once.text) == Redacted(once.text)
    assert {rule for rule, _ in once.counts} <= {*NAMES, "private"}


@given(
    st.sampled_from(CORPUS),
    st.text(string.printable, max_size=60),
    st.text(string.printable, max_size=60),
    st.sampled_from([" ", "\n", "\t"]),
)
def test_secret_between_any_texts_is_removed(entry: tuple[str, str, str], before: str, after: str, gap: str) -> None:
    _, place, secret = entry
    # A shorter one can be in the text around it by chance, and a plain word is judged by what follows it.
    if len(secret) >= 12 and not secret.isalpha():
        assert secret not in redact(f"{before}{gap}{place.format(secret)}{gap}{after}").text


leaves = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=20), fragments)
keys = st.one_of(st.text(max_size=8), st.sampled_from(["password", "token", "name", "value", "API_KEY"]))
values = st.recursive(
    leaves,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=4)),
    max_leaves=12,
)


@given(values)
def test_redacting_a_value_again_changes_and_counts_nothing(value: object) -> None:
    once = redact_value(value)
    assert redact_value(once.value) == RedactedValue(once.value)


LONG = 1 << 18
KEY = "PRIVATE KEY-----"
UNITS = [
    *(
        "a",
        "A",
        "-",
        "=",
        " ",
        "\n",
        "\\",
        '"',
        "x:",
        "://",
        "://a:",
        "://a:b@",
        "postgres://a:",
        "eyJ",
        "eyJ_",
        "eyJa.",
    ),
    *("-----BEGIN", f"-----BEGIN RSA {KEY}", f"-----END RSA {KEY}\n", "PuTTY-User-" + "Key-File-2:\n"),
    *("password=", "password='", 'password="', "password: ", "password is ", "pass(", "<password>", 'secret"="'),
    *("token=a1", "api_key = ", 'token\\"', "\u0130password=", ";TOKEN=12", "--password ", "--password=", "--a-"),
    *("<private", "<private ", "<private>", "</private>", "[redacted:", "[redacted:secret]"),
    *("sk-", "sk-a", "sk-a1", "ghp_", "AKIA", "SG.", "xox", ":A", "Q~", "-us1", "aws ", "aws=", ":5432:a:", "mysql -"),
    *("authorization:", "authorization: bearer ", "bearer ", "cookie=a;", "cookie: a=b ", "session-id:"),
    *("machine a.b login ", "curl ", "curl -u a"),
]


@pytest.mark.parametrize("unit", UNITS)
def test_a_long_run_of_anything_is_redacted_in_the_end(unit: str) -> None:
    once = redact((unit * (LONG // len(unit) + 1))[:LONG])
    assert isinstance(once.text, str)
