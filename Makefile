# Two commands do everything: `make app` and `make test`. Each adds to .venv what it needs.
PYTHON ?= python3
BIN := .venv/bin
PORT ?= 5006
ADDRESS ?= 127.0.0.1
# Debian's own packages: the browser of the tests, and venv where Debian ships Python without it.
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
APT = $(SUDO) apt-get update -qq && DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -y -qq
export PYTHONHASHSEED := 0

.PHONY: setup app lab test check lint format schemas bench reliability docs-screenshots chromium clean

# What each target needs and no more: the page, the course, the tests. A stamp older than the lists of packages is made anew.
LISTS := pyproject.toml setup.py constraints.txt
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable

setup: .venv/.test

.venv/bin/python:
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { echo "installing python3-venv"; $(APT) python3-venv; }
	$(PYTHON) -m venv .venv

.venv/.app: $(LISTS) | .venv/bin/python
	$(INSTALL) .
	touch $@

.venv/.lab: $(LISTS) | .venv/bin/python
	$(INSTALL) ".[notebooks]"
	touch .venv/.app $@

.venv/.test: $(LISTS) | .venv/bin/python
	$(INSTALL) ".[dev,notebooks]"
	touch .venv/.app .venv/.lab $@

app: .venv/.app
	$(BIN)/safe-explorer app --address $(ADDRESS) --port $(PORT)

lab: LESSONS ?= notebooks
lab: .venv/.lab
	$(BIN)/jupyter lab --ServerApp.root_dir=$(LESSONS) $(if $(SUDO),,--allow-root) $(LAB_OPTIONS)

chromium:
	@command -v chromium >/dev/null || { $(APT) chromium; }

test: setup chromium
	$(BIN)/python -m pytest -n 2 --dist loadgroup --max-worker-restart 0

# What one runs after every edit: lint, types and the fast tests, in under two minutes.
check: lint
	$(BIN)/python -m pytest -n 2 --dist loadgroup --max-worker-restart 0 -m "not slow"

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

schemas: setup
	for kind in scenario study; do $(BIN)/python -m core schema $$kind --out data/schemas/$$kind.json || exit 1; done

bench: setup chromium
	$(BIN)/python benchmarks

# Every check of docs/RELIABILITY.md: about an hour. TREE=path measures another checkout too, as "before".
reliability: setup chromium
	$(BIN)/python -m tools.reliability --write $(if $(TREE),--tree $(TREE)) $(CHECKS)

docs-screenshots: setup chromium
	PYTHONPATH=tests/support $(BIN)/python -m tools.screenshots

clean:
	rm -rf .venv build .mypy_cache .ruff_cache .pytest_cache .hypothesis
