# The main commands are `make demo` and `make test`.

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow faults lint format hooks messages openapi lock audit prove bench load clean
.SILENT:

PORT ?= 8000
python = python=$$(sh scripts/find_python.sh) && exec "$$python" -m
develop = python=$$(sh scripts/find_python.sh) && "$$python" -m scripts.bootstrap requirements-dev.txt
bin = .venv/bin

help: ## this list
	awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## run the whole site here (PORT=8001 for another port); Ctrl-C stops it
	$(python) scripts.demo --port "$(PORT)" --with-class --follow-parent

test: ## run the tests, in a real browser too (ARGS="-k name" for some)
	$(python) scripts.test $(ARGS)

test-slow: ## run the tests that take longer, which `make test` leaves out
	$(python) scripts.test --slow $(ARGS)

faults: ## try every fault, and write docs/reliability.md
	$(develop)
	$(bin)/python -m tests.faults

lint: ## check style, types and the arrows between packages
	$(develop)
	$(bin)/ruff check .
	$(bin)/ruff format --check .
	$(bin)/djlint --lint --quiet .
	$(bin)/mypy
	$(bin)/lint-imports
	$(bin)/bandit --quiet --severity-level medium --configfile pyproject.toml --recursive .
	$(bin)/python -m scripts.find_secrets

format: ## put the code into its format
	$(develop)
	$(bin)/ruff check --fix .
	$(bin)/ruff format .

hooks: ## have git run the checks of `make lint` before each commit
	$(develop)
	$(bin)/pre-commit install

messages: ## collect the texts to translate, then compile what is translated (ADD=de for a new language)
	$(develop)
	mkdir -p locale
	SOFTMARK_DEBUG=1 $(bin)/python manage.py makemessages --no-location $(if $(ADD),--locale $(ADD),--all) \
		--ignore .venv --ignore tests
	SOFTMARK_DEBUG=1 $(bin)/python manage.py compilemessages --ignore .venv

openapi: ## describe the API in docs/openapi.json
	$(develop)
	SOFTMARK_DEBUG=1 $(bin)/python manage.py write_openapi

lock: ## write the requirements files from pyproject.toml (ARGS=--upgrade for the newest versions)
	$(python) scripts.lock $(ARGS)

audit: ## check the packages for known weaknesses (needs the network)
	$(develop)
	$(bin)/pip-audit --strict --require-hashes --disable-pip --requirement requirements.txt

prove: ## draw 10,000 variants of every family and prove each (ARGS="softmax_row --variants 100")
	$(develop)
	OPENBLAS_NUM_THREADS=1 $(bin)/python -m attention_core prove $(ARGS)

bench: ## measure, for example: make bench grading
	$(develop)
	$(bin)/python -m benchmarks.$(or $(filter-out bench,$(MAKECMDGOALS)),grading) $(ARGS)

load: ## an exam hall on real servers: STUDENTS=300
	$(develop)
	OPENBLAS_NUM_THREADS=1 $(bin)/python -m benchmarks.load --students $(or $(STUDENTS),300)

clean: ## remove the environment, the demo's data and caches
	rm -rf .venv .demo .data .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# `make bench grading`: the second word is an argument, not a goal.
ifeq (bench,$(firstword $(MAKECMDGOALS)))
$(filter-out bench,$(MAKECMDGOALS)):
	:
.PHONY: $(filter-out bench,$(MAKECMDGOALS))
endif
