"""What test runners and compilers print, one failing run each."""

from __future__ import annotations

JEST = """\
PASS src/price.test.js
FAIL src/cart.test.js
  Cart
    ✓ is empty at first (2 ms)
    ✕ adds the tip (5 ms)

  ● Cart › adds the tip

    expect(received).toBe(expected) // Object.is equality

    Expected: 4
    Received: 3

      10 |   it("adds the tip", () => {
      11 |     const cart = new Cart([1, 2]);
    > 12 |     expect(cart.total()).toBe(4);
         |                          ^
      13 |   });

      at Object.toBe (src/cart.test.js:12:26)
      at Promise.then.completed (node_modules/jest-circus/build/utils.js:298:28)

Test Suites: 1 failed, 1 passed, 2 total
Tests:       1 failed, 11 passed, 12 total
Snapshots:   0 total
Time:        1.234 s, estimated 2 s
Ran all test suites.
"""

VITEST = """\
 RUN  v2.1.4 /srv/shop

 ✓ src/price.test.ts (4 tests) 12ms
 ❯ src/cart.test.ts (2 tests | 1 failed) 18ms
   × Cart > adds the tip 7ms
     → expected 3 to be 4 // Object.is equality

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  src/cart.test.ts > Cart > adds the tip
AssertionError: expected 3 to be 4 // Object.is equality

- Expected
+ Received

- 4
+ 3

 ❯ src/cart.test.ts:12:26
     10|   it('adds the tip', () => {
     12|     expect(cart.total()).toBe(4)

 Test Files  1 failed | 1 passed (2)
      Tests  1 failed | 5 passed (6)
   Start at  10:00:00
   Duration  412ms (transform 30ms, setup 0ms)
"""

MOCHA = """\
  Cart
    ✔ is empty at first
    1) adds the tip

  11 passing (20ms)
  1 failing

  1) Cart
       adds the tip:

      AssertionError [ERR_ASSERTION]: 3 == 4
      + expected - actual

      at Context.<anonymous> (test/cart.js:12:14)
      at process.processImmediate (node:internal/timers:476:21)
"""

NODE = """\
TAP version 13
# Subtest: adds the tip
not ok 1 - adds the tip
  ---
  duration_ms: 2.836229
  location: '/srv/shop/cart.test.js:12:1'
  failureType: 'testCodeFailure'
  error: |-
    Expected values to be strictly equal:

    3 !== 4

  code: 'ERR_ASSERTION'
  ...
# Subtest: is empty
ok 2 - is empty
1..2
# tests 2
# suites 0
# pass 1
# fail 1
# cancelled 0
# skipped 0
# todo 0
# duration_ms 149.155895
"""

PLAYWRIGHT = """\
Running 3 tests using 2 workers

  1) [chromium] › tests/cart.spec.ts:12:5 › cart › adds the tip ─────────────────

    Error: expect(locator).toHaveText(expected)

    Expected string: "4"
    Received string: "3"

      at tests/cart.spec.ts:14:38

  1 failed
    [chromium] › tests/cart.spec.ts:12:5 › cart › adds the tip ─────
  2 passed (3.4s)
"""

GO = """\
=== RUN   TestTotal
=== RUN   TestTotal/with_tip
    cart_test.go:12: Total() = 3, want 4
--- FAIL: TestTotal (0.00s)
    --- FAIL: TestTotal/with_tip (0.00s)
        cart_test.go:12: Total() = 3, want 4
=== RUN   TestEmpty
--- PASS: TestEmpty (0.00s)
FAIL
FAIL\tgithub.com/ada/shop/cart\t0.012s
ok  \tgithub.com/ada/shop/price\t0.004s
FAIL
"""

GO_BUILD = """\
# github.com/ada/shop/cart [github.com/ada/shop/cart.test]
./cart.go:7:9: undefined: tip
FAIL\tgithub.com/ada/shop/cart [build failed]
FAIL
"""

CARGO = """\
   Compiling shop v0.1.0 (/srv/shop)
    Finished `test` profile [unoptimized + debuginfo] target(s) in 1.05s
     Running unittests src/lib.rs (target/debug/deps/shop-c4066ebb79ee0019)

running 3 tests
test tests::is_empty ... ok
test tests::adds_the_tip ... FAILED
test tests::has_a_price ... FAILED

failures:

---- tests::adds_the_tip stdout ----

thread 'tests::adds_the_tip' (18586) panicked at src/lib.rs:6:17:
assertion `left == right` failed
  left: 3
 right: 4
stack backtrace:
   0: __rustc::rust_begin_unwind
note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.

---- tests::has_a_price stdout ----

thread 'tests::has_a_price' (18587) panicked at src/lib.rs:10:49:
no price


failures:
    tests::adds_the_tip
    tests::has_a_price

test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s

error: test failed, to rerun pass `--lib`
"""

RSPEC = """\
.F..........

Failures:

  1) Cart adds the tip
     Failure/Error: expect(cart.total).to eq(4)

       expected: 4
            got: 3

       (compared using ==)
     # ./spec/cart_spec.rb:12:in `block (2 levels) in <top (required)>'

Finished in 0.01234 seconds (files took 0.1 seconds to load)
12 examples, 1 failure, 2 pending

Failed examples:

rspec ./spec/cart_spec.rb:11 # Cart adds the tip
"""

MINITEST = """\
Run options: --seed 4242

# Running:

.F

Finished in 0.001234s, 1620.7455 runs/s, 1620.7455 assertions/s.

  1) Failure:
CartTest#test_adds_the_tip [test/cart_test.rb:12]:
Expected: 4
  Actual: 3

2 runs, 2 assertions, 1 failures, 0 errors, 0 skips
"""

PHPUNIT = """\
PHPUnit 11.0.1 by Sebastian Bergmann and contributors.

.F..........                                                      12 / 12 (100%)

Time: 00:00.012, Memory: 8.00 MB

There was 1 failure:

1) CartTest::testAddsTheTip
Failed asserting that 3 matches expected 4.

/srv/shop/tests/CartTest.php:12

FAILURES!
Tests: 12, Assertions: 20, Failures: 1.
"""

MAVEN = """\
[INFO] Running com.shop.CartTest
[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE! -- in com.shop.CartTest
[ERROR] com.shop.CartTest.addsTheTip -- Time elapsed: 0.01 s <<< FAILURE!
org.opentest4j.AssertionFailedError: expected: <4> but was: <3>
\tat com.shop.CartTest.addsTheTip(CartTest.java:12)
[INFO] Results:
[INFO]
[ERROR] Failures:
[ERROR]   CartTest.addsTheTip:12 expected: <4> but was: <3>
[INFO]
[ERROR] Tests run: 12, Failures: 1, Errors: 0, Skipped: 0
[INFO]
[INFO] BUILD FAILURE
[INFO] Total time:  2.345 s
"""

GRADLE = """\
> Task :compileJava UP-TO-DATE
> Task :test FAILED

CartTest > addsTheTip() FAILED
    org.opentest4j.AssertionFailedError: expected: <4> but was: <3>
        at app//com.shop.CartTest.addsTheTip(CartTest.java:12)

12 tests completed, 1 failed

FAILURE: Build failed with an exception.
BUILD FAILED in 2s
"""

DOTNET = """\
  Failed Shop.Tests.CartTests.AddsTheTip [12 ms]
  Error Message:
   Assert.Equal() Failure: Values differ
Expected: 4
Actual:   3
  Stack Trace:
     at Shop.Tests.CartTests.AddsTheTip() in /srv/shop/CartTests.cs:line 12

Failed!  - Failed:     1, Passed:    11, Skipped:     0, Total:    12, Duration: 20 ms - Shop.Tests.dll (net8.0)
"""

UNITTEST = """\
test_adds_the_tip (test_cart.CartTest.test_adds_the_tip) ... FAIL
test_is_empty (test_cart.CartTest.test_is_empty) ... ok

======================================================================
FAIL: test_adds_the_tip (test_cart.CartTest.test_adds_the_tip)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/srv/shop/test_cart.py", line 12, in test_adds_the_tip
    self.assertEqual(total([1, 2]), 4)
AssertionError: 3 != 4

----------------------------------------------------------------------
Ran 12 tests in 0.012s

FAILED (failures=1)
"""

PASSING = {
    "pytest": ("pytest -q", "....  [100%]\n42 passed, 2 skipped in 3.10s\n", "42 passed, 2 skipped in 3.10 s"),
    "unittest": (
        "python -m unittest",
        "....\n" + "-" * 70 + "\nRan 12 tests in 0.012s\n\nOK\n",
        "12 passed in 0.012 s",
    ),
    "jest": (
        "npx jest",
        "PASS src/a.test.js\n\nTests:       12 passed, 12 total\nTime:        1.2 s\n",
        "12 passed in 1.2 s",
    ),
    "vitest": (
        "npx vitest run",
        " Test Files  2 passed (2)\n      Tests  6 passed (6)\n   Duration  1.20s\n",
        "6 passed in 1.20 s",
    ),
    "go test": ("go test ./...", "ok  \tgithub.com/ada/shop/price\t0.004s\n", "1 passed in 0.00 s"),
    "cargo test": (
        "cargo test",
        "running 3 tests\ntest a ... ok\n\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; "
        "finished in 0.10s\n",
        "3 passed in 0.10 s",
    ),
    "rspec": ("bundle exec rspec", "Finished in 0.5 seconds\n12 examples, 0 failures\n", "12 passed in 0.5 s"),
    "phpunit": ("vendor/bin/phpunit", "OK (12 tests, 20 assertions)\n", "12 passed"),
    "dotnet test": (
        "dotnet test",
        "Passed!  - Failed:     0, Passed:    12, Skipped:     0, Total:    12, Duration: 20 ms - Shop.Tests.dll "
        "(net8.0)\n",
        "12 passed in 0.02 s",
    ),
    "maven": (
        "mvn -q test",
        "[INFO] Tests run: 12, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS\n",
        "12 passed",
    ),
}

TSC = """\
> shop@1.0.0 build
> tsc -p .

src/cart.ts(12,5): error TS2322: Type 'string' is not assignable to type 'number'.
src/price.ts(4,1): error TS2304: Cannot find name 'tip'.
"""

NPM_INSTALL = """\
npm error code ERESOLVE
npm error ERESOLVE unable to resolve dependency tree
npm error Found: react@19.0.0
npm error A complete log of this run can be found in: /tmp/debug.log
"""
