# The two commands of the README are `make run` and `make test`. Both set up .venv and need Python 3.11+, git and make.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
READY := .venv/.ready
SYSTEM_PACKAGES := git espeak-ng

.PHONY: run test check lint types unit soak bench format plugins docs lock system-deps clean

run: $(READY)
	@$(BIN)/marrow tour

test: lint types unit

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

# The tests start more than a thousand programs: compiled once, whatever PYTHONDONTWRITEBYTECODE says of each of them.
unit: $(READY)
	@$(BIN)/python -m compileall -q src tests
	$(BIN)/pytest -n 2 --dist worksteal

# What takes longer: many more crashes, histories and processes than `make test` has time for.
soak: $(READY)
	MARROW_TEST_CRASH_ROUNDS=200 MARROW_TEST_POWER_CUTS=1000 MARROW_TEST_HISTORIES=100 MARROW_TEST_EXAMPLES=200 \
		$(BIN)/pytest -n 2 --dist worksteal tests/store tests/memory

bench: $(READY)
	$(BIN)/python bench/run.py
	$(BIN)/python bench/daemon.py

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The manifests of the hosts' plugins, from the tables in the code.
plugins: $(READY)
	$(BIN)/python plugins/generate.py

# The reference pages and help in docs/ are generated from the tables in the code.
docs: $(READY)
	$(BIN)/python docs/generate.py

# Pins what is installed now. Names and versions only: no registry is named.
lock: $(READY)
	$(BIN)/python -m pip freeze --exclude-editable | grep -v '^marrow' > constraints.txt

system-deps:
	@missing=""; for p in $(SYSTEM_PACKAGES); do command -v $$p >/dev/null 2>&1 || missing="$$missing $$p"; done; \
	if [ -n "$$missing" ]; then apt-get update -qq && apt-get install -y -qq $$missing; fi

$(READY): pyproject.toml constraints.txt packages/marrow-embedder/pyproject.toml
	@test -n "$(PYTHON)" || { echo "Marrow needs Python 3.11 or later on the PATH." >&2; exit 1; }
	@echo "Setting up .venv: once, about half a minute; it fetches the packages that Marrow is made of ..."
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable . ./packages/marrow-embedder --group dev
	@touch $(READY)

clean:
	rm -rf .venv .cache .mypy_cache .ruff_cache .hypothesis bench/results
