# Everything that people and CI type. A line `target: ... ## text` is a line of `make help`.
# A recipe may assume Debian's python3, bash and make; all else it sets up under .venv and vscode-extension/node_modules.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test check fast format gpu bench-gpu bench bench-flow bench-lsp fuzz-flow fuzz-lsp fuzz-emulator mutation vsix completions lint unit extension code-server clean distclean

VENV := .venv
BIN := $(VENV)/bin
BASE := $(VENV)/.base-installed
DEV := $(VENV)/.dev-installed
EXTENSION := vscode-extension
CODE_SERVER := $(VENV)/code-server/.installed
NPM_INSTALLED := $(EXTENSION)/node_modules/.installed
# A shell prefix: in the extension's folder, with Node 20 or newer first on the path.
IN_EXTENSION = NODE=$$(.ci/node-path $(VENV)); cd $(EXTENSION); PATH="$$NODE:$$PATH"
PYTEST := $(BIN)/python -m pytest -q -n 2
# Bytecode, as pip leaves it for what it copies: without it a start takes twice as long.
COMPILE := $(BIN)/python -m compileall -q compiler server

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

run: $(BASE) ## Set up, then check, simulate and verify the example kernels
	$(BIN)/croq check --quiet examples/*.co
	$(BIN)/croq run examples/*.co

test: lint extension code-server ## Set up, then run every check and test that needs no GPU
	.ci/chromium
	.ci/editors
	.ci/compiler
	$(PYTEST)

check: lint unit ## Format, lint, types, layers and unit tests (within a minute)

fast: $(DEV) ## Unit tests of the areas that differ from the last commit
	$(PYTEST) -m "not slow" $$(.ci/changed-tests)

format: $(DEV) ## Format the Python code and apply the linter's safe fixes
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

bench-gpu: $(DEV) ## Measure compiled kernels on a card beside cuBLAS and its copy; REFERENCE=FILE adds a hand-made one
	PYTHONPATH=. $(BIN)/python -m tests.gpu.bench $(if $(REFERENCE),--reference $(REFERENCE))

bench: $(DEV) ## Measure starting, reading and simulating; prints figures, judges none
	PYTHONPATH=. $(BIN)/python tests/perf/bench.py

bench-flow: $(DEV) ## Measure verdicts while one types, and the hover that explains them
	PYTHONPATH=. $(BIN)/python tests/perf/bench_flow.py

bench-lsp: $(DEV) ## Measure the language server over stdio, beside Ruff's and basedpyright's
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python -m tests.perf.bench_lsp

fuzz-lsp: $(DEV) ## Play 100,000 sessions of random edits and requests against the language server (hours; resumes)
	$(BIN)/python -m tests.lsp.sessions.fuzz --write docs/verification.md

fuzz-flow: $(DEV) ## Compare the credit-flow verifier with simulator and search on 100,000 programs (hours; resumes)
	$(BIN)/python -m tests.truth.fuzz --write docs/verification.md

fuzz-emulator: $(DEV) ## Run 10,000 drawn kernels in the emulator of the card (hours; resumes)
	$(BIN)/python -m tests.emulator.fuzz

mutation: $(DEV) ## Measure which mutants of the kernels `croq check` finds, and write the score to docs/verification.md
	$(BIN)/python -m tests.truth.mutation --write docs/verification.md

gpu: $(DEV) ## Run every test that needs a card, and leave the figures in build/gpu-visit.json
	mkdir -p build
	PYTHONPATH=. $(BIN)/python -m tests.gpu.visit --out build/gpu-visit.json
	GPU_VISIT=build/gpu-visit.json $(BIN)/python -m pytest -q -m gpu tests/gpu

completions: $(DEV) ## Make the shells' completion scripts again after a change of the command line
	for shell in bash zsh fish tcsh; do \
	  $(BIN)/shtab --prog croq --prefix croq --shell=$$shell croqc.cli.main.build_parser > compiler/croqc/cli/completions/croq.$$shell; done

vsix: $(NPM_INSTALLED) ## Pack the VS Code extension into a .vsix file
	$(IN_EXTENSION) npm run package

clean: ## Remove caches and build outputs
	rm -rf dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	rm -rf $(EXTENSION)/dist $(EXTENSION)/*.vsix
	find compiler server tests -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## Remove what `clean` removes, and everything that was installed
	rm -rf $(VENV) $(EXTENSION)/node_modules

lint: $(DEV)
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

# Tests over the wire start a server each: they wait for `make test`, or for `make fast` where the server changed.
unit: $(DEV)
	$(PYTEST) -m "not slow" --ignore=tests/lsp

extension: $(NPM_INSTALLED)
	$(IN_EXTENSION) npm run check
	$(IN_EXTENSION) npm test
	$(IN_EXTENSION) npm run package

# What the tests in VS Code need beside the packed extension.
code-server: $(CODE_SERVER)

# Stamps: newer than pyproject.toml (or the lock file) means installed as it says there. Those in an environment whose
# Python is gone or too old say nothing: it is made again.
ifneq ($(shell .ci/make-venv --sound $(VENV)),)
.PHONY: $(BASE) $(DEV)
endif

$(BASE): pyproject.toml .ci/make-venv
	.ci/make-venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	$(COMPILE)
	touch $@

$(DEV): pyproject.toml .ci/make-venv
	.ci/make-venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	$(COMPILE)
	touch $@ $(BASE)

$(NPM_INSTALLED): $(EXTENSION)/package-lock.json | $(BASE)
	$(IN_EXTENSION) npm ci --no-audit --no-fund
	touch $@

$(CODE_SERVER): .ci/code-server | $(DEV)
	.ci/code-server $(VENV)/code-server $(BIN)/python
