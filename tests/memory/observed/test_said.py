"""What the user said that matters, and what the agent decided."""

from __future__ import annotations

import pytest

from marrow.memory.observed.decided import decided
from marrow.memory.observed.said import Said, may_be_kept, said
from marrow.model.node import KINDS
from marrow.model.standing import DOMAINS

from .traces import prompt, stop

MATTERS = {
    "We deploy with fly deploy from the main branch.": ("note", "claim"),
    "deploys go through GitHub Actions, never by hand.": ("note", "claim"),
    "The staging database is a copy of production refreshed nightly.": ("note", "claim"),
    "Hi! We deploy with kamal, and the registry is on our own server.": ("note", "claim"),
    "Our API uses cursor pagination everywhere.": ("note", "claim"),
    "this repo uses trunk-based development": ("note", "claim"),
    "To deploy, run make ship from the release branch.": ("note", "claim"),
    "Migrations are run by the release job, not at startup.": ("note", "claim"),
    "For tests we use a real Postgres in docker.": ("note", "claim"),
    "We're on Python 3.12 and Django 5.": ("note", "claim"),
    "We don't use Docker locally.": ("note", "claim"),
    "Deployment: push to main, CI builds the image, ArgoCD syncs it.": ("note", "claim"),
    "The payments API is rate limited to 100 requests per minute": ("note", "claim"),
    "When you add an endpoint, always add it to the OpenAPI file too.": ("preference", "preference"),
    "FYI the CI runners have only 2 cores.": ("note", "claim"),
    "Remember that the API key lives in Vault under payments.": ("note", "claim"),
    "please remember: tests need Redis on port 6380": ("note", "claim"),
    "Don't forget that prices are stored in cents.": ("note", "claim"),
    "Can you remember that we use tabs?": ("note", "claim"),
    "Important: customer emails must not appear in logs.": ("note", "claim"),
    "remember to always bump the version before a release": ("preference", "preference"),
    "I prefer small commits with a message in the imperative.": ("preference", "preference"),
    "Always run make lint before you commit.": ("preference", "preference"),
    "Never push directly to main.": ("preference", "preference"),
    "From now on write the docs in British English.": ("preference", "preference"),
    "Please don't add comments that repeat the code.": ("preference", "preference"),
    "We decided to keep SQLite for the desktop build.": ("decision", "decision"),
    "In the last team meeting we decided to use Postgres for the ledger.": ("decision", "decision"),
    "We decided to keep the schema in the other repo.": ("decision", "decision"),
    "Let's say goodbye to jQuery: we decided to use React.": ("decision", "decision"),
    "We decided on Postgres; everyone thinks we should.": ("decision", "decision"),
    "Always bump the version in the other repo too.": ("preference", "preference"),
    "let's go with Postgres for the queue": ("decision", "decision"),
    "We'll use Redis for the queue then.": ("decision", "decision"),
    "We go with Postgres, because ops does not want another service.": ("decision", "decision"),
    "We'll go with Postgres for sessions.": ("decision", "decision"),
    "Actually, let's not use Redis for the session store after all.": ("decision", "decision"),
    "Change of plan: use Postgres for sessions, not Redis.": ("decision", "decision"),
    "Scrap the Redis idea, we're staying with the in-memory store.": ("decision", "decision"),
    "We changed our mind about Redis: sessions go to Postgres.": ("decision", "decision"),
    "In this repo, all dates are in UTC.": ("note", "claim"),
    "Merke dir: die Staging-Umgebung liegt auf staging2.example": ("note", "claim"),
    "Bitte vergiss nicht, dass Beträge in Cent gespeichert werden": ("note", "claim"),
    "Recuerda que usamos pnpm en lugar de npm": ("note", "claim"),
    "N'oublie pas que les montants sont en centimes": ("note", "claim"),
    "Запомни: мы используем PostgreSQL 16": ("note", "claim"),
    "记住我们使用 pnpm 而不是 npm": ("note", "claim"),
    "覚えておいて：テストは make test で実行する": ("note", "claim"),
    "The root cause was a stale lock file in the cache folder.": ("fix", "claim"),
    "The fix is to bump the pool size to 20.": ("fix", "claim"),
    "No, use pnpm instead of npm.": ("correction", "preference"),
    "That's wrong, the port is 8081.": ("correction", "claim"),
    "actually it's the billing service that owns invoices": ("correction", "claim"),
    "I said no mocks in the integration tests.": ("correction", "claim"),
    "wait, stop using print, use the logger instead": ("correction", "preference"),
}
DOES_NOT = (
    "How do we deploy?",
    "Should we use Redis or Postgres for the queue?",
    "What did we decide about caching?",
    "Do you remember the port?",
    "I don't remember which file it was.",
    "Remember when we broke staging?",
    "remember to buy milk",
    "Fix the bug where the cart total is wrong.",
    "The tests are failing on CI.",
    "The API is returning HTML and not JSON.",
    "It always crashes when I click save.",
    "It never works on my machine",
    "the build is broken again",
    "Add a test for the deploy script.",
    "No problem, thanks!",
    "Yes go on",
    "maybe we should use Kafka",
    "We need to add a login page.",
    "we have a bug in the parser",
    "For now use sqlite.",
    "I think we could go with Redis.",
    "We haven't decided on a queue yet.",
    "Use the logger in cart.py",
    "The API returns 500 on checkout",
    "we get an error when deploying",
    "Let me know which you prefer",
    "Forget what I said about the cache.",
    "this needs to be fixed today",
    "Deploy the app to staging please now",
    "the tests are green now on my machine",
    "Don't commit this yet.",
    "apply the fix to the other file too",
    "wait for the build to finish first",
    "You should never have to restart the server for this",
    "Let's use a dataclass here",
    "Okay so here's the plan: first we refactor, then we deploy",
    "can we use pytest-xdist? it's already a dependency I believe",
    "The cart service in src/cart is where I want the tip logic.",
    "our customers hate the new design",
    "Great, that works. Now let's also handle the empty cart.",
    "/compact keep what we decided",
    "Imagine we always run migrations by hand.",
    "Suppose we never closed connections.",
    "Let's say we decided to use Kafka.",
    "He said we should always use tabs but I disagree.",
    "In the old project we always used tabs.",
    "Let's not use a dict here after all.",
    "Let's not go with that after all.",
    "Recuerda?",
    "Vergiss nicht",
)


def of(text: str) -> list[Said]:
    return said([prompt(text)])


@pytest.mark.parametrize("text", MATTERS)
def test_what_matters_is_kept_with_its_category(text: str) -> None:
    (found,) = of(text)
    assert (found.category, found.kind) == MATTERS[text]
    assert 0.5 <= found.salience <= 1
    assert found.kind in KINDS
    assert found.domain in DOMAINS


@pytest.mark.parametrize("text", DOES_NOT)
def test_questions_requests_complaints_and_chatter_are_not_kept(text: str) -> None:
    assert of(text) == []


WEIGHTS = {
    "Remember that we use tabs.": 1.0,
    "We decided on tabs.": 0.8,
    "We decided to use tabs in all files.": 0.9,
    "I prefer tabs here.": 0.7,
    "Never push on Friday.": 0.6,
    "Never push to main on a Friday.": 0.7,
    "Note that staging is small.": 0.5,
    "We deploy with fly today.": 0.6,
    "No, use tabs in this project.": 0.8,
}


@pytest.mark.parametrize("text", WEIGHTS)
def test_salience_is_the_strongest_markers_weight_and_a_little_more_when_long(text: str) -> None:
    (found,) = of(text)
    assert found.salience == WEIGHTS[text]


SELF_CONTAINED = {
    "our tests are run with tox, please add py313": "Our tests are run with tox",
    "Hmm that is not what I meant. The button belongs on the left.": "The button belongs on the left.",
    "please remember that the port is 8081, thanks": "The port is 8081",
    "ok so note that staging has no cache": "Staging has no cache",
    "No, use pnpm instead of npm.": "Use pnpm instead of npm.",
    "That's wrong, the port is 8081.": "The port is 8081.",
    "btw, remember: prices are in cents": "Prices are in cents",
}


@pytest.mark.parametrize("text", SELF_CONTAINED)
def test_a_sentence_is_made_to_stand_for_itself(text: str) -> None:
    (found,) = of(text)
    assert found.text == SELF_CONTAINED[text]


def test_only_the_sentences_that_matter_are_taken_from_a_prompt() -> None:
    found = of("Can you look at the login? We deploy with kamal to two servers. The page is slow.")
    assert [one.text for one in found] == ["We deploy with kamal to two servers."]


def test_remember_the_following_holds_for_the_list_and_not_beyond() -> None:
    found = of("Remember the following:\n- deploys go via Fly\n- prices are in cents\n\nThen look at the cart again.")
    assert [(one.text, one.salience) for one in found] == [("Deploys go via Fly", 1.0), ("Prices are in cents", 1.0)]


def test_what_is_done_in_the_place_of_something_is_kept_with_what_it_replaces() -> None:
    (found,) = of("Let's not use Redis for the session store after all. We go with Postgres, because of ops.")
    assert found.text == "Let's not use Redis for the session store after all. We go with Postgres, because of ops."
    assert found.category == "decision"


def test_a_bare_no_makes_the_next_sentence_a_correction() -> None:
    (found,) = of("No. Use pnpm in this repository.")
    assert (found.text, found.category, found.salience) == ("Use pnpm in this repository.", "correction", 0.8)


@pytest.mark.parametrize(
    "wish",
    [
        "Don't remember this.",
        "do not save this",
        "please don't store any of this",
        "This is off the record.",
        "Bitte nicht merken.",
        "Merk dir das nicht.",
        "Nur unter uns, bitte nicht speichern!",
        "Speicher das bitte nicht.",
        "Ne retiens pas ça.",
        "Por favor, no guardes esto.",
        "Не запоминай это.",
        "No recuerdes esto.",
        "不要记住这个。",
    ],
)
def test_a_wish_not_to_be_remembered_covers_the_whole_prompt(wish: str) -> None:
    assert of(f"We decided to sell the company to Acme. {wish} Always call it Bluebird.") == []


@pytest.mark.parametrize(
    "text",
    ["don't save this to the variable, we use a cache", "I don't remember this. We deploy with kamal to two servers."],
)
def test_words_that_only_look_like_that_wish_do_not(text: str) -> None:
    assert of(text + "\nAlways run make lint before you commit.")


@pytest.mark.parametrize(
    "text",
    [
        "Das Formular soll das Passwort nicht speichern.",
        "Der Dialog 'Nicht speichern' wirft einen Fehler.",
        "Ich kann mir den Befehl nicht merken.",
        "Speichere das nicht in localStorage, sondern in einem Cookie.",
        "Le formulaire n'enregistre pas les données.",
        "No guardes los archivos temporales en /tmp.",
        "Non salvare il file nella cartella sbagliata.",
        "não guarde tokens no localStorage",
        "не сохраняй файлы в корень репозитория",
        "不要记录日志到文件。",
    ],
)
def test_what_a_program_is_not_to_save_is_no_wish_in_any_language(text: str) -> None:
    assert may_be_kept(text)


@pytest.mark.parametrize("mark", ["for now", "temporarily", "just this once", "for this session"])
def test_what_holds_for_a_while_is_left_out_and_the_rest_stays(mark: str) -> None:
    found = of(f"We use sqlite {mark}. Always run make lint before you commit.")
    assert [one.text for one in found] == ["Always run make lint before you commit."]


def test_code_logs_and_quotations_are_not_what_the_user_said() -> None:
    text = (
        "Look at this:\n```\n# Always use tabs here, remember that\n```\n> We decided to use spaces everywhere.\n"
        "2026-03-01 12:00:00 INFO we always deploy with kamal\n    never push to main in this block\n"
        "<system-reminder>Remember that you always use the tool.</system-reminder>\nERROR: never call this twice\n"
    )
    assert of(text) == []


@pytest.mark.parametrize(
    "chat",
    [
        "Anna: let's use Kafka for events.\nBen: ok, we decided on Postgres then.",
        "Anna: let's use Kafka for events.\n\nBen Moss: we decided on Postgres for all of it.\nAnna: fine with me.",
        "[10:32] bob: we decided to use Kafka for events.",
        "[2026-03-01 10:32:10] <bob> we decided to use Kafka for events.",
        "10:32 - Anna: We decided to use Kafka for events.",
        "<bob> we decided to use Kafka for events.",
        "Anna Moss  10:32 AM\nWe decided to use Kafka for events.\nAlways deploy on Mondays.\nBen [10:33]\nok",
    ],
)
def test_a_chat_that_was_pasted_is_not_what_the_user_said(chat: str) -> None:
    found = of(f"We deploy with kamal to two servers.\n\n{chat}\n\nWe never deploy on Fridays.")
    assert [one.text for one in found] == ["We deploy with kamal to two servers.", "We never deploy on Fridays."]


def test_what_stands_in_a_block_stays_in_it_beside_a_chat() -> None:
    assert of("<private> it is a secret\nWe decided to use Kafka for events.\n</private>") == []
    assert of("[10:32] bob: ```\nWe decided to use Kafka for events.\n```\nWe never deploy on Fridays.")[0].text == (
        "We never deploy on Fridays."
    )


@pytest.mark.parametrize(
    "text",
    [
        "Billing: let's use Stripe for cards.\nSearch: let's use Meili for products.",
        "Decision: we decided to use Kafka for events.\nNote: ok, Ben owns it.",
        "Billing: we decided on Stripe.",
        "Deploys are at 10:30 AM\nWe decided to use Kafka for events.",
        "10:30 standup: we decided to use Kafka for events.",
        "Backend: we decided on FastAPI.\nFrontend: ok, let's use React.",
    ],
)
def test_a_list_of_ones_own_is_no_chat(text: str) -> None:
    assert {"decision"} <= {one.category for one in of(text)}


@pytest.mark.parametrize("head", ["Remember:", "Please remember this:\n", "From now on, for all of these:"])
def test_a_list_that_the_user_asks_to_keep_is_no_chat(head: str) -> None:
    found = of(f"{head}\nPytest: I never want warnings.\nAlembic: always write the way down too.")
    assert "Pytest: I never want warnings." in [one.text for one in found]


def test_who_goes_with_the_flow_decides_nothing() -> None:
    assert of("We'll go with the flow.") == of("Let's go with the flow!") == []
    assert [one.category for one in of("We'll go with the flow layout for the grid.")] == ["decision"]


def test_what_is_said_twice_is_kept_once() -> None:
    found = said([prompt("Never push to main directly."), prompt("never push to main directly")])
    assert len(found) == 1


def test_a_said_sentence_knows_when_and_where_it_was_said() -> None:
    line = prompt("Never push to main directly.", turn="t7")
    (found,) = said([line])
    assert (found.at, found.turn) == (line["at"], "t7")


LAST = (
    "All tests pass.\n\n**Root cause:** the cache key did not contain the tenant, so two tenants shared one entry.\n\n"
    "I decided to add the tenant to the key rather than clear the cache. I could also add a metric. "
    "We now use one key builder for all caches. Should I open a pull request?"
)


def test_the_agents_decisions_are_few_and_light() -> None:
    found = decided([stop(LAST)])
    assert [one.category for one in found] == ["fix", "decision"]
    assert found[0].text.startswith("Root cause: the cache key")
    assert found[1].text.startswith("I decided to add the tenant")
    assert all(one.salience <= 0.6 for one in found)


def test_a_fix_is_kept_with_what_was_wrong() -> None:
    (found,) = decided(
        [stop("The export is slow because each row is committed alone. The fix is to batch the inserts.")]
    )
    assert found.text == "The export is slow because each row is committed alone. The fix is to batch the inserts."
    (found,) = decided([stop("Would you like me to go on with it?\n\nThe fix is to batch the inserts of the export.")])
    assert found.text == "The fix is to batch the inserts of the export."


def test_only_the_last_message_of_a_turn_counts() -> None:
    found = decided([stop("I decided to rewrite it all in Go."), stop("I decided to keep it as it is.")])
    assert [one.text for one in found] == ["I decided to keep it as it is."]


def test_what_the_agent_offers_or_asks_is_no_decision() -> None:
    assert decided([stop("We could switch to Redis. I can fix it if you want. Which one did we decide on?")]) == []


@pytest.mark.parametrize(
    "progress",
    [
        "The queue now uses LISTEN/NOTIFY via asyncpg (api/queue.py, class NotifyQueue). All 14 tests pass.",
        "Switched to zoneinfo.ZoneInfo; tests pass.",
        "I replaced NotifyQueue with SqsQueue in api/queue.py; 14 tests pass.",
        "Added a dark mode switch to Settings; the theme is kept in localStorage.",
        "We now wait for map-ready before each click.",
        "I've moved the handler to api/web.py.",
    ],
)
def test_progress_of_the_agent_is_no_decision(progress: str) -> None:
    assert decided([stop(progress)]) == []


def test_what_the_agent_says_is_marked_as_the_agents() -> None:
    found = decided([stop("I chose asyncpg over psycopg because it is faster here.")])
    assert [(one.category, one.by) for one in found] == [("decision", "assistant")]
    assert [one.by for one in of("We decided to keep SQLite.")] == ["user"]
