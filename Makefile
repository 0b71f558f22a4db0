# SPDX-License-Identifier: Apache-2.0

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT  ?= $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
DATE    ?= $(shell git log -1 --format=%cI 2>/dev/null || echo unknown)
PKG     := github.com/clusterctl/clusterctl/pkg/version
LDFLAGS := -s -w -buildid= -X $(PKG).version=$(VERSION) -X $(PKG).commit=$(COMMIT) -X $(PKG).date=$(DATE)
PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
PARTS   := cd test/tools/parts && go run .

## build: compile bin/clusterctl
.PHONY: build
build:
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o bin/clusterctl ./cmd/clusterctl

## parts: get etcd, kube-apiserver and the Cluster API managers into the cache folder (about 10 minutes once, then nothing)
.PHONY: parts
parts:
	$(PARTS) build

## engine: start a container engine where none runs (as root; installs Debian's docker.io where there is none; exit code 3: none can run)
.PHONY: engine
engine:
	@cd test/tools/parts && go build -o $(CURDIR)/bin/parts . && $(CURDIR)/bin/parts engine start

## engine-stop: end the engine that "make engine" started, and put back what it changed on this host
.PHONY: engine-stop
engine-stop:
	@cd test/tools/parts && go build -o $(CURDIR)/bin/parts . && $(CURDIR)/bin/parts engine stop

## test-images: images of kind nodes, load balancers and providers, from Debian packages and Go modules, in the engine (minutes once, then seconds)
.PHONY: test-images
test-images: engine
	@cd test/tools/parts && $(CURDIR)/bin/parts build --only kube,kubectl,capi,images,node,cert-manager && $(CURDIR)/bin/parts load

# With an engine, the images; without one whole flows on containers are skipped, and say so.
.PHONY: test-images-if-possible
test-images-if-possible: parts
	@cd test/tools/parts && go build -o $(CURDIR)/bin/parts .
	@code=0; bin/parts engine start || code=$$?; case $$code in \
	  0) $(MAKE) --no-print-directory test-images ;; \
	  3) echo "NOT TESTED: clusters of containers, because no container engine can run here" ;; \
	  *) exit $$code ;; esac

## demo: create a cluster from nothing on this host, list its nodes, delete it again
.PHONY: demo
demo: build parts
	test/demo/demo.sh

## test: everything: linters, unit tests, tests against real API servers, whole flows with the real controllers
.PHONY: test
test: lint-fast unit e2e

## unit: all tests but the whole flows, with the race detector; what is skipped is printed with its reason
.PHONY: unit
unit: parts test-images-if-possible
	go test -race -timeout 20m -v $$(go list ./... | grep -v -e /test/e2e -e /test/bench) | { grep -v -e '^=== ' -e '^ *--- PASS: ' -e '^PASS$$' -e 'no test files' || true; }

## kill-all: kill a move at every one of its requests (hours; "make unit" takes some of them, others each time)
.PHONY: kill-all
kill-all: parts
	go test -count=1 -timeout 6h -v ./pkg/move -run TestKilledAtAnyRequest -kill-every=1 -kill-from=1

## e2e: whole flows of the built binary with the real controllers: from nothing to nothing, killed in every step, interrupted, bad hosts and images, who gets in
.PHONY: e2e
e2e: build parts test-images-if-possible
	go test -count=1 -timeout 60m -v ./test/e2e

## e2e-all: those, and what takes too long for CI: create cluster killed at three moments of every step
.PHONY: e2e-all
e2e-all: build parts test-images-if-possible
	go test -count=1 -timeout 60m -v ./test/e2e -all

## bench: measure, side by side with upstream's clusterctl, and write docs/benchmarks.md
.PHONY: bench
bench: build parts
	go run ./test/bench -out docs/benchmarks.md

## bench-containers: the same for clusters of containers: kind and upstream's clusterctl by a script, the two kinds of bootstrap clusters; writes docs/benchmarks-containers.md
.PHONY: bench-containers
bench-containers: build parts test-images
	go run ./test/bench -only containers -out docs/benchmarks-containers.md

## lint: all linters (builds golangci-lint on first use)
.PHONY: lint
lint: lint-fast
	cd test/tools/lint && GOBIN=$(CURDIR)/bin go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	bin/golangci-lint run ./...

## lint-fast: go vet, gofumpt, and that every platform compiles
.PHONY: lint-fast
lint-fast:
	go vet ./...
	cd test/tools/lint && go build -o $(CURDIR)/bin/gofumpt mvdan.cc/gofumpt
	out=$$(git ls-files -co --exclude-standard '*.go' | xargs bin/gofumpt -l); test -z "$$out" || { echo "gofumpt would change:"; echo "$$out"; exit 1; }

## cross: compile for every platform that is released, and what has tests there with its tests
.PHONY: cross
cross:
	for os in darwin windows; do echo "vet $$os"; GOOS=$$os go vet ./...; done
	for p in $(PLATFORMS); do echo "$$p"; CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} go build -o /dev/null ./cmd/clusterctl; done

## docs: write the command reference from the code
.PHONY: docs
docs:
	go run ./cmd/clusterctl docs --dir docs/reference

## clean: remove what was built here (the cache folders stay)
.PHONY: clean
clean:
	rm -rf bin dist demo

## help: list these targets
.PHONY: help
help:
	@sed -n 's/^## \([a-z0-9-]*\): /\1\t/p' $(MAKEFILE_LIST) | awk -F'\t' '{printf "  %-11s %s\n", $$1, $$2}'
