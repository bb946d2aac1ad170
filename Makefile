# Every command of the project. `make help` lists them; the environment is made when it is needed.
PYTHON ?= $(shell command -v python3 || command -v python)
VENV := .venv/bin
NOTEBOOKS := $(sort $(wildcard notebooks/*.ipynb))
WORKERS ?= 2
# One thread a worker: two workers with two threads each stand in each other's way on two cores.
THREADS ?= 1

.DEFAULT_GOAL := help
.PHONY: help environment lab course proof test test-browser unit nbval solutions lint notebooks ledger site data bench faults reproducible licences zip clean

help:  ## list the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */\1|/' | awk -F'|' '{printf "  make %-12s %s\n", $$1, $$2}'

environment:
	@test -n "$(PYTHON)" || { echo "No Python found: install Python 3.11 or newer (python.org)."; exit 1; }
	@$(PYTHON) .ci/environment.py

lab: environment  ## open JupyterLab on notebook 00, in a folder to work in (work/)
	$(VENV)/sbert-lab start work
	$(VENV)/jupyter lab $(LAB_ARGS) work/00_start_here.ipynb

course: environment  ## run every notebook without a browser and print the ledger of claims
ifeq ($(NOTEBOOKS),)
	@echo "There are no notebooks yet: checking the machine, the models and the data instead."
	$(VENV)/sbert-lab doctor
	$(VENV)/sbert-lab data check
else
	$(VENV)/python notebooks/build.py run
	$(VENV)/sbert-lab claims
endif

proof: environment  ## convince a stranger in five minutes
	@$(VENV)/python .ci/proof.py

test: lint unit nbval solutions test-browser  ## everything that CI checks: lint, unit tests, notebooks, solutions, a browser

unit: environment
	OMP_NUM_THREADS=1 $(VENV)/python -m pytest -n $(WORKERS) --dist loadfile -m "not browser" tests

test-browser: environment  ## JupyterLab and the site in a real browser; skipped where there is no Chromium
	@$(VENV)/python .ci/browser.py

nbval: environment
ifneq ($(NOTEBOOKS),)
	OMP_NUM_THREADS=$(THREADS) SBERT_LAB_PROFILE=mini $(VENV)/python -m pytest --nbval --nbval-current-env --nbval-cell-timeout=900 \
	  --nbval-sanitize-with=notebooks/nbval.cfg -n $(WORKERS) --dist loadfile $(NOTEBOOKS)
endif

solutions: environment
ifneq ($(NOTEBOOKS),)
	OMP_NUM_THREADS=$(THREADS) $(VENV)/python notebooks/build.py solutions
endif

lint: environment  ## ruff: style and mistakes
	$(VENV)/ruff check .
	$(VENV)/ruff format --check .

notebooks: environment  ## build the notebooks from notebooks/src and run the stale ones
	@if [ -f notebooks/build.py ]; then $(VENV)/python notebooks/build.py; else echo "There are no notebooks yet."; fi

site: site/.venv/ready  ## build the course as web pages, into site/_build/html
	site/.venv/bin/python site/build.py

site/.venv/ready: site/requirements.txt
	$(PYTHON) -m venv site/.venv
	site/.venv/bin/pip install --quiet --disable-pip-version-check -r site/requirements.txt
	@touch $@

ledger: environment  ## from the recorded runs to the claims' verdicts, the ledger and the README
	$(VENV)/sbert-lab ledger
	$(VENV)/python data/build/pretraining/reached.py

data: environment  ## rebuild data/mini from its sources, byte for byte
	$(VENV)/python data/build/build_mini.py

bench: environment  ## time ours beside sentence-transformers: a table, data/results/bench.json and its figure
	$(VENV)/python -m pip install --quiet -e ".[benchmarks,milvus]"
	OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false TQDM_DISABLE=1 $(VENV)/python data/build/bench

faults: environment  ## make accidents happen (killed, full disk, odd input, ...) and count what is lost
	PYTHONPATH=tests OMP_NUM_THREADS=1 $(VENV)/python -m faults --jobs $(WORKERS) $(SECTIONS) $(if $(PAGE),--page $(PAGE))

reproducible: environment  ## nbval again: other threads, hash seeds, encodings, AVX2 (NAMES="00_start_here", ONLY="seed" for some)
	PYTHONPATH=tests WORKERS=$(WORKERS) $(VENV)/python -m faults.reproducible --only "$(ONLY)" $(NAMES)

licences: environment  ## list the licences of all dependencies in data/LICENCES.md
	PYTHONPATH=tests $(VENV)/python -m faults.licences

zip:  ## pack the course into sbert-lab.zip, to upload it to Colab
	git archive --format zip --prefix sbert-lab/ -o sbert-lab.zip HEAD
	@echo "sbert-lab.zip is made: upload it to a Colab session, then open a notebook there."

clean:  ## remove the environment, caches and runs
	rm -rf .venv site/.venv site/_build runs .pytest_cache .ruff_cache .hypothesis build dist *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
