# Two commands do everything: `make app` and `make test`. Both set up .venv by themselves.
PYTHON ?= python3
BIN := .venv/bin
PORT ?= 5006
ADDRESS ?= 127.0.0.1
# Debian's own packages: the browser of the tests, and venv where Debian ships Python without it.
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
APT = $(SUDO) apt-get update -qq && DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -y -qq
export PYTHONHASHSEED := 0

.PHONY: setup app lab test check lint format bench docs-screenshots chromium clean

setup: .venv/.ready

.venv/.ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { echo "installing python3-venv"; $(APT) python3-venv; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[dev,notebooks]"
	touch $@

app: setup
	$(BIN)/panel serve app --address $(ADDRESS) --port $(PORT) --allow-websocket-origin localhost:$(PORT) --allow-websocket-origin 127.0.0.1:$(PORT) --warm --reuse-sessions warm

lab: LESSONS ?= notebooks
lab: setup
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

bench: setup chromium
	for b in benchmarks/bench_*.py; do echo "== $$b"; PYTHONPATH=tests/support $(BIN)/python $$b || exit 1; done

docs-screenshots: setup chromium
	PYTHONPATH=tests/support $(BIN)/python tests/browser/screenshots.py

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
