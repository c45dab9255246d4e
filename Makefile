# Everything a developer or a curious user runs. `make help` lists the targets.
#
# The environment lives in .venv and is made with pip alone; stamps inside it record what is installed, so a second
# run does only what changed. PYTHON picks the interpreter the environment is made from.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet
STAMP  := $(VENV)/.stamp

VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)

# Another interpreter that the package declares, and where it is tried.
OTHER  ?= python3.13
OTHERS := .venv-other
# More options of pytest there, such as --ignore=FILE.
OTHER_OPTIONS ?=

# What a release has wheels for: of these interpreters only the one that builds has to be there.
RELEASED ?= 3.10 3.11 3.12 3.13 3.14 3.14t
RELEASE  := dist/release
# An environment that holds nothing but a release and what its smoke test needs.
CLEAN    := .venv-clean
# Builds of packaged crates take as long as the first build of all.
VERIFY   ?= --no-verify
SMOKE    := tests/seeds tests/process/test_import.py tests/interfaces/test_other_names.py

# The bindings are a cdylib for the interpreter to load: they have no Rust tests, and linking test binaries of theirs
# would need a libpython.
RUST_TESTS := --workspace --exclude ferrograph-python

# What the wheel is made from.
SOURCES := $(shell find crates python Cargo.toml Cargo.lock pyproject.toml README.md LICENSE-MIT LICENSE-APACHE \
             -type f -not -name '*.pyc' -not -name '*.so' 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help demo announce-demo test compile compile-rust-tests test-rust test-python test-other test-packages attack \
        docs dev wheel wheels sdist smoke smoke-sdist publish-check lint format generate bench clean toolchain

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: announce-demo $(STAMP)-demo ## train a digit classifier inside one traced function; the first time builds all: ten minutes
	@echo "== demo: train, for some seconds"
	$(BIN)/python examples/digits.py

# Before anything is built.
announce-demo:
	@$(MAKE) --no-print-directory --question $(STAMP)-demo || echo "== demo: builds first, which takes about 10 minutes" \
	  "on 2 cores where nothing is built yet: tools, the wheel (nearly all of the time), packages; then it trains"

test: compile test-rust test-python ## run every test: Rust, Python, documentation examples, type stub

# The Rust tests and the wheel are compiled side by side: each by itself leaves a core idle towards its end.
compile: | toolchain
	@$(MAKE) --no-print-directory --jobs=2 compile-rust-tests $(STAMP)-test

compile-rust-tests:
	cargo test --locked $(RUST_TESTS) --no-run

test-rust: | toolchain ## run the Rust tests alone
	cargo test --locked $(RUST_TESTS)

test-python: $(STAMP)-test ## run the Python tests alone (documentation examples and stub included)
	$(BIN)/python -m pytest -m 'not alone' --numprocesses auto --maxprocesses 4 --dist loadfile
	$(BIN)/python -m pytest -m alone

test-other: $(STAMP)-tools ## the tests of AutoGraph and of the documents on another Python: make test-other OTHER=python3.10
	rm -rf $(OTHERS)
	$(OTHER) -m venv $(OTHERS)
	$(BIN)/maturin build --release --locked --interpreter $(OTHERS)/bin/python --out $(OTHERS)/dist
	$(OTHERS)/bin/python -m pip --disable-pip-version-check --quiet install "$$(ls $(OTHERS)/dist/*.whl)[test]"
	$(OTHERS)/bin/python -m pytest -m 'not alone' --numprocesses auto --maxprocesses 4 --dist loadfile \
	  $(OTHER_OPTIONS) tests/autograph tests/seeds tests/repository/test_docs.py

test-packages: $(STAMP)-wheel ## run the own tests of packages that import tensorflow, on ferrograph
	$(BIN)/python tests/packages/run.py --wheel dist/*.whl

attack: $(STAMP)-test ## hostile calls, random programs, damaged pickles, threads, signals, leaks
	$(BIN)/python tests/attack/attack.py
	FERROGRAPH_ATTACK=1 $(BIN)/python -m pytest tests/attack/test_sizes.py tests/autograph/test_grammar.py \
	  tests/autograph/test_closed_world.py

docs: $(STAMP)-docs ## build the site of the guide and the reference into site/
	$(BIN)/mkdocs build --quiet
	@echo site/guide/index.html

dev: $(STAMP)-tools ## build in place, for edits to the Python front without reinstalling
	$(BIN)/maturin develop --release --locked
	@rm -f $(STAMP)-installed $(STAMP)-demo $(STAMP)-test

wheel: $(STAMP)-wheel ## build the release wheel into dist/
	@ls -l dist/*.whl

wheels: $(STAMP)-release ## build the manylinux wheels of a release into dist/release, one for each Python, and check them
	rm -rf $(RELEASE)/*.whl
	VIRTUAL_ENV=$(CURDIR)/$(VENV) PATH="$(CURDIR)/$(BIN):$$PATH" maturin build --release --locked --zig \
	  --compatibility manylinux_2_28 --interpreter $(RELEASED) --out $(RELEASE)
	$(BIN)/python .ci/wheels.py $(RELEASE)

sdist: $(STAMP)-tools ## build the source distribution of a release into dist/release
	$(BIN)/maturin sdist --out $(RELEASE)

publish-check: ## package the crates of a release, without sending them; VERIFY= builds them too
	cargo publish --locked --workspace --exclude ferrograph-python --dry-run --allow-dirty $(VERIFY)

smoke: ## try the wheel of dist/release in a clean environment: make smoke OTHER=python3.12
	rm -rf $(CLEAN)
	$(OTHER) -m venv $(CLEAN)
	$(CLEAN)/bin/python -m pip --disable-pip-version-check --quiet install --find-links $(RELEASE) --only-binary ferrograph \
	  ferrograph==$(VERSION) pytest
	$(CLEAN)/bin/python -m pytest $(SMOKE)
	$(CLEAN)/bin/python -m pip --disable-pip-version-check --quiet uninstall --yes ferrograph
	! $(CLEAN)/bin/python -c 'import ferrograph' 2>/dev/null

smoke-sdist: ## build and try the source distribution of dist/release in a clean environment
	rm -rf $(CLEAN)
	$(PYTHON) -m venv $(CLEAN)
	MATURIN_PEP517_ARGS=--locked $(CLEAN)/bin/python -m pip --disable-pip-version-check --quiet install \
	  $(RELEASE)/ferrograph-$(VERSION).tar.gz pytest
	$(CLEAN)/bin/python -m pytest $(SMOKE)

lint: $(STAMP)-tools ## formatting, lints and types, as CI runs them
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	$(BIN)/python .ci/unused.py
	$(BIN)/python .ci/deny.py
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(STAMP)-tools ## rewrite the sources to the house format
	cargo fmt --all
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

generate: ## write the public modules and docs/coverage.md from the declarations, docs/python-objects.md where tests can run
	$(PYTHON) python/generate.py
	@if [ -e $(STAMP)-test ]; then $(BIN)/python tests/autograph/python_objects.py --write; \
	  else echo "docs/python-objects.md is as it was: it is made of what runs, after make test-python"; fi

bench: $(STAMP)-installed ## criterion benches, then the comparison with other packages where one is set up
	cargo bench --locked --package ferrograph --benches
	benches/peers/run $(BIN)/python

clean: ## remove the environment and everything built
	cargo clean
	rm -rf $(VENV) dist site .pytest_cache .ruff_cache .mypy_cache examples/*.png
	find python -name '*.so' -delete

# One line for each thing that is missing, before anything is built.
toolchain:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null \
	  || { echo "ferrograph needs Python 3.10 or newer as '$(PYTHON)'; name another with make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "ferrograph needs the venv module of $(PYTHON) (a package such as python3-venv)" >&2; exit 1; }
	@command -v cargo >/dev/null \
	  || { echo "ferrograph needs cargo, Rust's build tool, on the PATH" >&2; exit 1; }
	@command -v cc >/dev/null \
	  || { echo "ferrograph needs a C compiler as 'cc', which Rust links with" >&2; exit 1; }

$(STAMP)-tools: | toolchain
	@echo "== tools into $(VENV): maturin, ruff, mypy, NumPy"
	$(PYTHON) -m venv $(VENV)
	$(PIP) install 'maturin>=1.9,<2' ruff mypy numpy
	@touch $@

$(STAMP)-release: | $(STAMP)-tools
	$(PIP) install ziglang pyelftools
	@touch $@

$(STAMP)-docs: | $(STAMP)-tools
	$(PIP) install 'mkdocs>=1.6,<2' 'mkdocstrings[python]>=1' pygments
	@touch $@

# The stamp is as old as the beginning of the build: what changes meanwhile is built the next time.
$(STAMP)-wheel: $(SOURCES) | $(STAMP)-tools
	@echo "== wheel: cargo compiles the Rust core and says how far it is"
	@touch $@-begun
	rm -rf dist
	$(BIN)/maturin build --release --locked --interpreter $(BIN)/python --out dist
	@mv $@-begun $@

$(STAMP)-installed: $(STAMP)-wheel
	@echo "== wheel into $(VENV)"
	$(PIP) install dist/*.whl
	$(PIP) install --force-reinstall --no-deps dist/*.whl
	@touch $@

$(STAMP)-demo $(STAMP)-test: $(STAMP)-%: $(STAMP)-installed
	@echo "== packages for the $* into $(VENV)"
	$(PIP) install "$$(ls dist/*.whl)[$*]"
	@touch $@
