# make demo   edit the example sentence; writes demo/
# make test   the quick tests (make test-ci: what CI runs; make test-all: the slow ones too)
# make test COVERAGE=--cov  the same, with coverage
# make test-app  the page and its server (needs Chromium: apt-get install chromium-headless-shell)
# make cuda   the environment for the recipes, with the build of torch for NVIDIA's GPUs that CUDA=cu128 names
# make gpu-kit CORPORA=DIR  gpu-kit.tar: code, features and sound for a quarter of an hour of a GPU
# make test-recipes  a recipe through all its stages (adds ESPnet to .venv)
# make fuzz MINUTES=10  fuzz every parser for that long
# make audit  known vulnerabilities of the pinned packages (needs a network)
# make lint   ruff and mypy
# make types-web  the types in the page's script, by TypeScript's compiler (needs npx and a network)
# make app    the web page at http://127.0.0.1:7860
# make clean  remove .venv, demo/ and every cache
# Each sets up .venv if it is missing, or if pyproject.toml or requirements.txt has changed.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check
INSTALL := $(PIP) install -q $(INSTALL_FLAGS)
WAVEGAN := $(shell grep '^parallel-wavegan==' requirements.txt)
# The tests share the cores; neighbours stay in one process, with what they have loaded, until
# another process is idle.
WORKERS ?= -n auto --maxprocesses=4 --dist=worksteal
# The build of torch without CUDA: 190 MB instead of several GB. It has its own index; if pip can't
# reach that, it uses its other sources.
TORCH  := $(shell grep '^torch==' requirements.txt)
CPU_INDEX ?= https://download.pytorch.org/whl/cpu

.PHONY: demo test test-all test-app test-ci fuzz audit test-recipes lint types-web app cuda gpu-kit clean
.DELETE_ON_ERROR:

demo: $(VENV)/.demo-ready
	mkdir -p demo && cp a3t/example/arctic_a0007.wav demo/arctic.wav
	$(BIN)/python -m a3t edit demo/arctic.wav --out demo/example.wav --export png \
	  --text "And you always want to see it in the superlative degree." \
	  --new-text "You never want to see it again in the superlative degree."

# The workers share the cores: threads of theirs would only wait for each other, and do so asleep.
# Bytecode is kept, whatever the shell says, since the tests start many processes.
PYTEST := PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 OMP_WAIT_POLICY=PASSIVE $(BIN)/python -m pytest -q

test: $(VENV)/.dev-ready
	$(PYTEST) -m "not slow and not integration" $(WORKERS) --ignore=tests/espnet $(COVERAGE)

test-all: $(VENV)/.dev-ready
	HYPOTHESIS_PROFILE=thorough $(PYTEST)

test-app: $(VENV)/.dev-ready
	$(PYTEST) -m "not slow or browser" $(WORKERS) tests/app

fuzz: MINUTES ?= 5
fuzz: $(VENV)/.dev-ready
	A3T_FUZZ_SECONDS=$$(( $(MINUTES) * 60 )) $(BIN)/python -m pytest -q tests/fuzz -k wanted

audit:
	"$(PYTHON)" -m venv $(VENV)/audit
	$(VENV)/audit/bin/pip install -q --disable-pip-version-check pip-audit || { echo "pip-audit can't be installed: is there a network?" >&2; exit 1; }
	$(VENV)/audit/bin/pip-audit -r requirements.txt --no-deps --disable-pip --strict --progress-spinner off || { echo "A known fault was found, or the packages could not be looked up (is there a network?): see above." >&2; exit 1; }

# In one run, the workers' imports and what they align are needed once; while a browser is waited
# for, another worker goes on.
test-ci: $(VENV)/.espnet-ready
	$(PYTEST) -m "not slow or browser" -n $$(nproc | awk '{print ($$1 < 3) ? $$1 + 1 : 4}') --dist=worksteal

test-recipes: $(VENV)/.espnet-ready
	$(PYTEST) $(WORKERS) tests/espnet tests/recipes/test_mini.py

lint: $(VENV)/.dev-ready
	$(BIN)/ruff check .
	$(BIN)/mypy

types-web:
	npx --yes --package typescript@5.9.3 tsc -p tests/app/modules/jsconfig.json

app: $(VENV)/.dev-ready
	$(BIN)/python -m app

# An existing environment gets the other build of torch and is otherwise unchanged.
CUDA ?= cu128
CUDA_INDEX ?= https://download.pytorch.org/whl/$(CUDA)
cuda: $(VENV)/.dev-ready
	$(INSTALL) -c requirements.txt --no-build-isolation -e '.[train,eval]'
	$(PIP) install -q --force-reinstall --no-deps $(TORCH) --index-url $(CUDA_INDEX)
	$(PIP) install -q $(TORCH) --index-url $(CUDA_INDEX) --extra-index-url https://pypi.org/simple
	$(BIN)/python -c 'import torch; print("torch", torch.__version__, "GPUs:", torch.cuda.device_count())'

gpu-kit: CLIPS ?= 300
gpu-kit: $(VENV)/.dev-ready
	@test -n "$(CORPORA)" || { echo "Name the folder of corpora: make gpu-kit CORPORA=DIR" >&2; exit 1; }
	PYTHON=$(abspath $(BIN))/python recipes/mini/run.sh --corpora $(abspath $(CORPORA)) --clips $(CLIPS) \
		--work $(abspath build/gpu-kit) --nj $(shell nproc) --stop_stage 3
	$(BIN)/python -m training.gpu_kit pack gpu-kit.tar --data build/gpu-kit/data --features build/gpu-kit/dump

clean:
	rm -rf $(VENV) demo build dist gpu-kit.tar *.egg-info .pytest_cache .ruff_cache .mypy_cache .hypothesis .coverage
	find a3t alignment app training evaluation tests -name __pycache__ -type d -prune -exec rm -rf {} +

# ---- the environment ----------------------------------------------------------------------------

$(VENV)/.torch-ready: requirements.txt
	@test -n "$(PYTHON)" || { echo "No python3 found: install Python 3.11 or newer, or say where it is with 'make PYTHON=/path/to/python3'." >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is older than Python 3.11: say where a newer one is with 'make PYTHON=/path/to/python3.11'." >&2; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) can't make virtual environments: on Debian or Ubuntu run 'apt-get install python3-venv' first." >&2; exit 1; }
	@echo "Setting up $(VENV), once: 1.4 GB, and 2.7 GB with what the tests need; a few minutes."
	"$(PYTHON)" -m venv $(VENV)
	$(INSTALL) --retries 0 --timeout 15 $(TORCH) -c requirements.txt --index-url $(CPU_INDEX) --extra-index-url https://pypi.org/simple 2>/dev/null || $(INSTALL) -c requirements.txt $(TORCH)
	@touch $@

$(VENV)/.demo-ready: $(VENV)/.torch-ready pyproject.toml requirements.txt
	$(INSTALL) -c requirements.txt -e '.[demo]'
	@touch $@

$(VENV)/.dev-ready: $(VENV)/.torch-ready pyproject.toml requirements.txt
	@"$(PYTHON)" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' && command -v cc >/dev/null || { echo "A C compiler and Python's headers are needed to build pysptk and pyworld, which the tests compare with: on Debian or Ubuntu run 'apt-get install build-essential python3-dev' first." >&2; exit 1; }
	$(INSTALL) -c requirements.txt -e '.[demo,app,exports,dev]'
	$(INSTALL) --no-deps --no-build-isolation $(WAVEGAN)
	@touch $(VENV)/.demo-ready $@

$(VENV)/.espnet-ready: $(VENV)/.dev-ready recipes/requirements-espnet.txt
	$(INSTALL) -c requirements.txt --no-build-isolation -e '.[train,eval]'
	$(INSTALL) --no-deps --no-build-isolation -r recipes/requirements-espnet.txt
	@touch $@
