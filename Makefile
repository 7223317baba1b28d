# make demo   the whole pipeline over the sample papers, on the embedded offline model
# make demo-scifigqual   the same for figure quality: the sample PDFs to scored figures
# make test   all tests
# make test-cluster   the slow tests: runs that are killed, faults, clusters
# make lint   ruff, mypy, and the layers of packages
# make test-power   how many small faults, put into the product one at a time, the tests notice; takes an hour or two
# Each makes .venv on its own first; nothing is installed once it stands. Tests have as many workers as WORKERS says.

PYTHON ?= python3
WORKERS ?= 2
BIN := .venv/bin
STAMP := .venv/.installed

.PHONY: demo demo-scifigqual test test-cluster test-power lint clean
.DELETE_ON_ERROR:

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(0 if (3, 10) <= v < (3, 13) else f"Python 3.10, 3.11 or 3.12 is needed, this is {v.major}.{v.minor}; name one with: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(STAMP)
	@mkdir -p outputs/quickstart
	@echo "Reading the sample papers (log: outputs/quickstart/demo.log) ..."
	@UV_OFFLINE=1 PIP_NO_INDEX=1 $(BIN)/dj-process --config recipes/quickstart.yaml > outputs/quickstart/demo.log 2>&1 \
		|| { tail -n 40 outputs/quickstart/demo.log; exit 1; }
	@$(BIN)/dj-ext summary outputs/quickstart/run

demo-scifigqual: $(STAMP)
	@mkdir -p outputs/quickstart_scifigqual
	@echo "Reading the sample PDFs (log: outputs/quickstart_scifigqual/demo.log) ..."
	@UV_OFFLINE=1 PIP_NO_INDEX=1 $(BIN)/dj-process --config recipes/quickstart_scifigqual.yaml \
		> outputs/quickstart_scifigqual/demo.log 2>&1 || { tail -n 40 outputs/quickstart_scifigqual/demo.log; exit 1; }
	@$(BIN)/dj-ext summary outputs/quickstart_scifigqual/run

# The tests of a file share servers and clusters, and so a worker. Compiled modules are kept, as hundreds of processes
# import them.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder

test: $(STAMP)
	$(PYTEST)

# One worker: clusters of four nodes take both processors of a small machine.
test-cluster: $(STAMP)
	$(BIN)/python -m pytest -m slow

test-power: $(STAMP)
	$(BIN)/python -m benchmarks.power --seed 17 --per-package 3

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

clean:
	rm -rf .venv outputs dj_ext_run
