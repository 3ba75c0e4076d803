.DEFAULT_GOAL := help
.PHONY: help run test check openapi contract clients bench chaos simulate mutants fuzz deps

help: ## show this
	@sed -nE 's/^([a-z]+):.*## (.*)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

run: ## build the service and run it on http://127.0.0.1:8080
	@scripts/run

test: ## check, build and run all tests
	@scripts/test

check: ## check format, layers, habits and documents
	@scripts/deps test
	@scripts/check

openapi: ## make openapi.json from openapi.yaml
	@scripts/deps test
	@.build/tools/bin/python scripts/openapi-json

contract: ## hold the built service against openapi.yaml with schemathesis
	@scripts/schemathesis

clients: ## generate clients from openapi.yaml, and download a file with each
	@scripts/clients

bench: ## measure beside curl, wget2, axel, lftp and aria2, and write docs/BENCHMARKS.md
	@scripts/deps bench
	@Benchmarks/run

chaos: ## kill the service again and again while its webhooks' receivers misbehave
	@scripts/webhook-chaos

simulate: ## run lives of the service in a simulated world for an hour
	@scripts/deps build
	@scripts/simulate

mutants: ## take protections out of the code, and see that tests miss each of them; an hour
	@scripts/deps build
	@scripts/mutants

fuzz: ## give the readers inputs that libFuzzer makes, a minute each
	@scripts/fuzz

deps: ## install the Debian packages that a build needs
	@scripts/deps build
