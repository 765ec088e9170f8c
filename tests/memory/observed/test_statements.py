"""Plain statements about a project and its people are kept; requests, symptoms, reports and chatter are not."""

from __future__ import annotations

import pytest

from marrow.memory.observed.said import Said, said

from .traces import prompt, stop

NOTE, PREFERENCE, DECISION, TASK, CORRECTION, FIX = "note", "preference", "decision", "task", "correction", "fix"
TOLD = {
    # who approves, owns and knows what
    "Ines has to sign off on brand colours": NOTE,
    "btw Ines is our designer, ask her before changing anything in the colour palette": NOTE,
    "the public API limit is 600 calls a minute, ask Marek if you need more": NOTE,
    "Ask Marek if you need a higher quota": NOTE,
    "Marek approves every change of the pricing tables.": NOTE,
    "Priya owns the billing module": NOTE,
    "every schema change must be approved by the data team": NOTE,
    "the platform team maintains the helm charts": NOTE,
    "legal has to review every change to the terms page": NOTE,
    "Tom and Aisha are on call this quarter for payments": NOTE,
    "check with Lena before you touch the export format": NOTE,
    # releases, schedules
    "so you know how releases work here: staging goes out automatically on merge to develop, production is done by "
    "hand with ./scripts/release.sh <version>, and only on Tuesdays and Thursdays": NOTE,
    "releases go out on Tuesdays and Thursdays only": NOTE,
    "we release every second Thursday from the main branch": NOTE,
    "production deploys happen on tuesday mornings": NOTE,
    "and the staging database gets wiped every night at 3am so don't rely on data there": NOTE,
    "staging gets wiped every night at 3am": NOTE,
    "the nightly export starts at 02:00 UTC": NOTE,
    "backups are kept for 30 days": NOTE,
    "sprint demos are every other Friday at 14:00": NOTE,
    "The certificate renews itself on the first of each month": NOTE,
    # limits and figures
    "the public API limit is 600 calls a minute": NOTE,
    "rate limit for the public API is 100 requests per minute per key, that's agreed with sales": NOTE,
    "uploads are capped at 25 MB": NOTE,
    "the orders table has about 40 million rows": NOTE,
    "session tokens expire after 15 minutes": NOTE,
    "Each tenant gets at most 5 workers": NOTE,
    "the gateway timeout is 30 seconds": NOTE,
    # how the project is
    "accounts_v2 replaced customers": NOTE,
    "we got rid of pytz everywhere": NOTE,
    "we moved from styled-components to tailwind last month": NOTE,
    "fyi we tried putting Varnish in front of the tracking pages once, it broke the websocket upgrade and we rolled "
    "it back": NOTE,
    "commits follow conventional commits": NOTE,
    "tests run with make check": NOTE,
    "Just so you know: we deploy with make ship": NOTE,
    "the mobile app talks to api/v2 only": NOTE,
    "invoices are numbered per country": NOTE,
    "ParcelSync is written in Rust": NOTE,
    "api/generated comes from openapi-generator": NOTE,
    "errors are reported to Sentry": NOTE,
    "prices are stored in cents": NOTE,
    "the legacy importer is deprecated": NOTE,
    "our customers in Japan use their own carrier codes": NOTE,
    "The admin area is only reachable over the VPN": NOTE,
    "users.email is unique per tenant": NOTE,
    # how the agent should work
    "I hate long answers, keep it short please": PREFERENCE,
    "keep your answers short": PREFERENCE,
    "I like short commit messages": PREFERENCE,
    "I don't want emojis in your replies": PREFERENCE,
    "I want concise explanations without bullet points": PREFERENCE,
    "the e2e tests are flaky because the map tiles load late; from now on wait for data-testid=map-ready before "
    "clicking anything on the map": PREFERENCE,
    # choices, corrections, fixes, tasks
    "We changed our mind on the job queue: LISTEN/NOTIFY loses jobs when a worker reconnects, so we're going with SQS "
    "after all.": DECISION,
    "cursor pagination for the shipments endpoint it is, go ahead": DECISION,
    "no, don't use pytz, use zoneinfo": CORRECTION,
    "use zoneinfo instead of pytz": CORRECTION,
    "wait, actually we don't use styled-components anymore, we moved to tailwind last month": CORRECTION,
    "right. ops raised the pgbouncer limit to 60 this morning, that fixed it": FIX,
    "todo for monday: rotate the dhl credentials and delete the old celery module": TASK,
    "on monday we need to rotate the DHL credentials": TASK,
    "We still have to renew the TLS certificate before Friday": TASK,
    "remind me tomorrow to update the changelog": TASK,
}
ALSO_TOLD = (
    "the marketing site is a separate repo, acme-www",
    "our CI takes about 12 minutes on a cold cache",
    "Dana runs the design reviews on Wednesdays",
    "customer data never leaves the EU",
    "we have three environments: dev, staging and prod",
    "feature flags live in LaunchDarkly",
    "the iOS app is frozen until the audit in March",
    "translations come from Lokalise",
    "Oleg is the only one with access to the production database",
    "we only support Postgres 15 and up",
    "the importer runs hourly on worker-2",
    "support handles refunds, not engineering",
    "each merchant has its own schema",
    "free accounts are limited to 3 projects",
    "the cli is published to PyPI as acmectl",
    "we freeze deploys from Dec 15 to Jan 5",
    "the warehouse API only accepts XML",
    "postgres on staging listens on port 5433",
    "Sara needs to approve anything that touches PII",
    "legacy_orders is read-only",
    "don't merge without a green CI run",
    "the team lives in Berlin and Lisbon",
    "VAT is calculated per line item, not per order",
    "webhooks are retried 5 times",
    "docs are built with mkdocs",
    "pricing is agreed with sales every quarter",
    "the on-call rotation changes on Mondays",
    "everything in vendor/ is third-party code",
    "user ids are UUIDv7",
    "emails go through Postmark",
    "the design tokens live in packages/tokens",
    "money is always stored as integers",
    "heads up: the vendor sandbox is reset every Sunday",
    "Jonas from finance signs off on anything above 500 euros",
    "QA happens on the preview environment, not on staging",
    "our SLA is 99.9% uptime",
    "the mobile clients cache responses for 10 minutes",
    "production runs in eu-central-1",
    "we are a team of four",
    "PRs need two approvals",
    "hotfixes branch off main, never off develop",
    "The reporting service reads from a replica",
    "the frontend is deployed to Vercel",
    "Kim is on parental leave until April, ask Robert instead",
    "tickets live in Linear under the PARCEL project",
    "we pay per API call, so batch requests",
    "orders older than two years are archived to S3",
    "the staging password is in 1Password",
    "our monorepo is managed with turborepo",
    "tax rates come from the finance sheet",
    "the word depot means a physical warehouse in our code",
    "API keys rotate every 90 days",
    "our fiscal year starts in July",
    "please never use any in typescript",
    "answer in German please, always",
    "refunds over 200 dollars go to Hana for approval",
    "The team uses Slack, channel #parcel-dev",
)
ALSO_NOT_KEPT = (
    "ok now do the same for the invoices",
    "run the tests and tell me what fails",
    "great work",
    "the tests in test_dates are red",
    "I get a 404 on /v1/shipments",
    "my branch is behind main",
    "we have 2 failing tests left",
    "the cart total is off by one cent",
    "the last commit broke it",
    "why is staging so slow",
    "I accidentally deleted the migration",
    "can we use the same approach as in orders.py",
    "the error is gone",
    "this worked yesterday",
    "same error",
    "still the same",
    "hm the number is different from the one in the report",
    "all the tests in api pass",
    "the container exits with code 137",
    "the request times out after 30 seconds",
    "the log is full of warnings",
    "move the constant to settings.py",
    "use a list comprehension here",
    "the variable name is confusing",
    "let me think about it",
    "we can do that later",
    "ok let's do that",
    "there is a typo in the README",
    "the README is outdated",
    "the docs are out of date",
    "the CSS is a mess",
    "the query returns 3 rows instead of 5",
    "two of the rows are duplicated",
    "the image is 4 MB, compress it",
    "the branch has conflicts with main",
    "the script prints nothing",
    "the user list is not sorted",
    "names are cut off on mobile",
    "prices show 3 decimals",
    "I see two spinners on the page",
    "after the deploy the site is blank",
    "the endpoint gives me null",
    "Postgres refuses the connection",
    "redis is not running",
    "the package is not installed",
    "the config has a typo",
    "npm install hangs forever",
    "node is at version 18 on my machine",
    "the import in api/web.py is unused",
    "orders.py has 900 lines",
    "the class is used in three places",
    "it's in api/db.py",
    "I need this by tomorrow",
    "take your time",
    "you can ignore the lint warnings",
    "we'll see",
    "that's it for today",
    "the new test covers the empty cart",
    "your change to queue.py is fine",
    "the third commit is wrong, drop it",
    "the API key is invalid",
    "the dropdown is rendered behind the modal",
    "the sidebar overlaps the footer on mobile",
    "the query takes 4 seconds",
    "users are complaining about the checkout",
    "there are 3 failing tests",
    "the second column is empty",
    "the chart has no legend",
    "the icon is blurry",
    "the date picker shows the wrong month",
    "the migration ran fine",
    "tests are green",
    "all tests pass",
    "CI is green again",
    "that works, thanks",
    "the response contains an extra field",
    "the font is too small",
    "my laptop has 16 GB of RAM",
    "the output is attached",
    "here are the logs",
    "the function is too long, split it up",
    "the file is in src/cart.py, have a look",
    "we should add rate limiting",
    "we want to support Postgres",
    "we are going to need a new table",
    "the customer wants a refund button",
    "I'd like a summary of the changes",
    "write a migration that drops legacy_orders",
    "it has to be done by Friday",
    "the endpoint now returns the right thing",
    "the deploy went through",
    "the title should read Invoices",
    "nothing happens when I click on it",
    "the value is 0.30000000000000004",
    "expected 4 got 3",
    "line 12 is the culprit",
    "the diff is huge",
    "you forgot the import in main.py",
    "you broke the build",
    "you missed the case where the cart is empty",
    "the cache key is computed twice",
    "the loop runs one time too many",
    "the button has the old colour",
    "order 4711 has two invoices",
    "the new page is ready for review",
    "the total on the invoice is 12.50 but the cart says 13",
    "Sentry shows 40 events for this in the last hour",
    "the login form uses the old endpoint, change it to v2",
    "the header component gets re-rendered on every keystroke",
    "rename Foo to Bar in the api package",
    "every second request hits the cold cache",
    "the spinner never goes away",
    "also the footer is gone on the settings page",
    "the settings page needs a dark mode toggle",
    "the API needs a new endpoint for refunds",
    "the users table needs an index on email",
    "a new column is needed in orders",
    "the test for the cart is in tests/test_cart.py",
    "the build uses the wrong node version",
    "this function has 5 parameters",
    "Continue with the next step",
    "The plan is to refactor the queue first",
    "step 2 is done, move on to step 3",
    "I have 10 minutes left",
    "the server is running on port 8000",
    "docker is up",
    "I'm using Python 3.12 locally",
    "Marek said it looks good",
    "Ines likes it",
    "the ticket is ABC-123",
    "the PR is https://github.com/acme/shop/pull/12",
)
LOG = """got this from prod just now, what is it?

2026-11-10 08:12:44,120 ERROR [api.db] request_id=7f3a failed
Traceback (most recent call last):
  File "/srv/api/db.py", line 58, in acquire
    return await asyncio.wait_for(self._pool.acquire(), timeout=5)
asyncio.exceptions.TimeoutError
2026-11-10 08:12:44,121 WARNING [api.db] pool exhausted: 20/20 in use"""
NPM = """what about these?

npm WARN deprecated glob@7.2.3: this package is no longer supported

added 1432 packages, and audited 1433 packages in 24s

198 packages are looking for funding
  run `npm fund` for details

found 0 vulnerabilities"""
NOT_KEPT = (
    # requests
    "fix the login page for Safari users",
    "can you rename the orders table to purchases",
    "please change the timeout to 30 seconds",
    "add a dark mode toggle to the settings page",
    "do a dry run of the release for 4.2.0",
    "customers in Sydney see the wrong delivery date, off by one day. find out why and fix it",
    "now wire the new endpoint into the mobile app",
    "we need to add a column to the orders table",
    "I want a dark mode toggle on the settings page",
    "I need the report to have 3 columns",
    "I want tests for the login page",
    "let's look at the queue next",
    "make the header 20px high",
    "bump the version to 4.2.1 and tag it",
    "split the module into three files",
    "please redo it with tailwind classes",
    "go ahead",
    "have a look at the repo and tell me how it is organised",
    "put it in .env.test",
    "implement the endpoint the way Marek described in the ticket",
    "you should run the tests first",
    "The header should be 20px high",
    # questions
    "what's the difference between useMemo and useCallback again?",
    "should we paginate the shipments endpoint by cursor or by offset?",
    "who approves the brand colours",
    "how many calls a minute does the public API allow?",
    "is staging wiped every night?",
    "any idea why the worker restarts at 3am",
    # hedges
    "maybe the API limit is 600 calls a minute",
    "Ines might own the palette",
    "some day we move to Kubernetes",
    "I'm wondering whether releases happen on Tuesdays",
    "I think the limit is 600 calls a minute",
    "the limit is probably 600 calls a minute",
    "not sure, but Marek may own that",
    "apparently staging gets wiped every night",
    # the symptom at hand
    "the test fails on line 12",
    "it crashes when I click save",
    "getting this error on startup",
    "the page takes 20 seconds to load now",
    "the button is on the wrong side",
    "the import is stuck at 40%",
    "the total is 3 but should be 4",
    "the worker uses 100% CPU since yesterday",
    "the API returns 500 on checkout",
    "the list has two duplicates when I reload the page",
    "got this from prod just now",
    "the login button does nothing on Safari",
    "Sydney orders show up one day early",
    "the modal stays open after saving",
    LOG,
    NPM,
    "TypeError: Cannot read properties of undefined (reading 'id')",
    "panic: runtime error: index out of range [5] with length 3",
    "Successfully installed httpx-0.28.1 anyio-4.4.0",
    # reports about the task at hand
    "I changed the timeout to 30 seconds",
    "I renamed orders to purchases in the schema",
    "done",
    "looks good",
    "looks good to me, the tests pass",
    "I pushed the branch to origin",
    "I'm on the release branch now",
    "the tests pass now",
    "the branch is merged",
    "I just ran the migration on staging",
    "the PR is up",
    # small talk
    "lol ok",
    "cool, thanks!",
    "hey, morning!",
    "ugh this is slow today",
    "you are right about the cache",
    "nice, I like it",
    "ok that makes sense",
    "sorry, my bad",
    "good point, the first one is better",
    "I have a meeting at 3",
    # nothing is named
    "it runs every night at 3am",
    "they have to sign off on it",
    "this is the 3rd time",
    "that one is owned by Marek",
    "fyi it goes out every Tuesday",
    "those are kept for 30 days",
    "use pnpm instead",
    "No, use pnpm instead.",
    "no, put it in the other file",
    "cursor it is, go ahead",
    "that it is",
    "the second one it is",
    "here is the carrier sandbox key for the tests: DHL_API_KEY=[redacted], put it in .env.test",
    "wait, that test fails",
    "no, I didn't change it",
)


def of(text: str) -> list[Said]:
    return said([prompt(text)])


def test_the_tables_are_large_enough_to_mean_something() -> None:
    assert len(TOLD) >= 40
    assert len(NOT_KEPT) >= 60


@pytest.mark.parametrize("text", TOLD)
def test_what_is_told_is_kept_once_with_its_category(text: str) -> None:
    (found,) = of(text)
    assert found.category == TOLD[text]
    assert found.salience >= 0.5
    assert found.category != NOTE or found.salience <= 0.7


@pytest.mark.parametrize("text", ALSO_TOLD)
def test_more_of_what_is_told_is_kept(text: str) -> None:
    (found,) = of(text)
    assert found.category in (NOTE, PREFERENCE)


@pytest.mark.parametrize("text", [*NOT_KEPT, *ALSO_NOT_KEPT])
def test_what_is_asked_reported_or_only_seen_is_not_kept(text: str) -> None:
    assert of(text) == []


SEVERAL = {
    "A few house rules: tests run with make check. commits follow conventional commits. and never touch src/gen by "
    "hand": ["Tests run with make check.", "Commits follow conventional commits.", "Never touch src/gen by hand"],
    "ok. a few house rules: we run tests with `uv run pytest -x`, not plain pytest. commits follow conventional "
    "commits. and never touch the files in api/generated, they come from openapi-generator": [
        "We run tests with `uv run pytest -x`, not plain pytest.",
        "Commits follow conventional commits.",
        "Never touch the files in api/generated, they come from openapi-generator",
    ],
    "I prefer pytest style and please always use type hints": ["I prefer pytest style", "Always use type hints"],
    "we deploy with make ship; releases go out on Tuesdays only": [
        "We deploy with make ship",
        "Releases go out on Tuesdays only",
    ],
    "no, don't use pytz, use zoneinfo. we got rid of pytz everywhere": [
        "Don't use pytz, use zoneinfo.",
        "We got rid of pytz everywhere",
    ],
}


@pytest.mark.parametrize("text", SEVERAL)
def test_several_rules_in_one_prompt_are_several_memories(text: str) -> None:
    assert [one.text for one in of(text)] == SEVERAL[text]


PLAINLY = {
    "Hi! Just so you know: we deploy with make ship": "We deploy with make ship",
    "ok so just so you know, we deploy with make ship": "We deploy with make ship",
    "so you know how releases work here: staging goes out on merge to develop": "Staging goes out on merge to develop",
    "for the record: backups are kept for 30 days": "Backups are kept for 30 days",
    "by the way, Priya owns the billing module": "Priya owns the billing module",
    "FYI - the nightly export starts at 02:00 UTC": "The nightly export starts at 02:00 UTC",
    "we don't use styled-components, please redo it with tailwind classes": "We don't use styled-components",
    "wait, actually we moved to tailwind last month, please redo it with tailwind classes": (
        "We moved to tailwind last month"
    ),
    "I hate long answers, keep it short please": "I hate long answers, keep it short",
    "rate limit for the public API is 100 requests per minute per key. don't raise it without asking Marek": (
        "Rate limit for the public API is 100 requests per minute per key. Don't raise it without asking Marek"
    ),
}


@pytest.mark.parametrize("text", PLAINLY)
def test_openers_and_requests_are_not_part_of_what_is_told(text: str) -> None:
    (found,) = of(text)
    assert found.text == PLAINLY[text]


def test_a_task_for_later_is_kept_as_one() -> None:
    (found,) = of("todo for monday: rotate the dhl credentials and delete the old celery module")
    assert (found.kind, found.domain) == ("task", "tasks")
    assert found.text == "For Monday: rotate the dhl credentials and delete the old celery module"


def test_a_choice_is_kept_with_the_question_that_it_answers() -> None:
    asked = prompt("should we paginate the shipments endpoint by cursor or by offset?")
    (found,) = said([asked, prompt("cursor it is, go ahead")])
    assert (found.kind, found.category) == ("decision", "decision")
    assert found.text == "Cursor it is: should we paginate the shipments endpoint by cursor or by offset"


def test_a_choice_is_kept_with_the_agents_question_where_that_is_at_hand() -> None:
    asked = stop("Both work. Do you want SQS or Redis for the job queue?")
    (found,) = said([asked, prompt("SQS it is")])
    assert found.text == "SQS it is: do you want SQS or Redis for the job queue"
    assert said([stop("Do you want tabs or spaces?"), prompt("SQS it is")]) == []
