# The front door. Each target installs what is missing, configures once and builds; the work itself
# is in CMakePresets.json. `make help` lists the targets.
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup run test bench reference packages packages-test check dev asan tsan fuzz tidy tidy-changed format format-check clean

# SETUP=true leaves the machine's packages alone.
SETUP ?= scripts/setup
# One more than cores: some tests wait.
CTEST_JOBS ?= $(shell expr $$(nproc) + 1)

sources = $(shell find include src apps bindings tests bench -name '*.h' -o -name '*.cc')

help:  ## This list.
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' Makefile | expand -t 14

setup:
	@$(SETUP)

# ninja repeats the configuration when a CMake file changes; only a change of the presets is ours.
build/%/build.ninja: CMakePresets.json | setup
	cmake --preset $*
	@touch $@

run: build/release/build.ninja  ## Build the program and serve a database in ./data.
	@cmake --build --preset release --target mayfly
	@build/release/bin/mayfly serve --dir data

test: build/release/build.ninja  ## Build what ships and run every test on it.
	@cmake --build --preset release
	@scripts/run_tests release -j $(CTEST_JOBS)

bench: build/release/build.ninja  ## Build and run the benchmarks; takes minutes.
	@cmake --build --preset release --target bench

reference: build/release/build.ninja  ## Make the references of the headers (html) and of Python, in build/release/reference.
	@cmake --build --preset release --target reference

packages: build/release/build.ninja  ## Build the .deb packages, in build/release/packages.
	@cmake --build --preset release --target mayfly mayfly_shared mayfly_static python_extension
	@cd build/release && cpack -G DEB

packages-test: packages  ## Try them in a minimal Debian; needs root, takes minutes.
	@tests/packages/clean_root_test.sh build/release/packages

check: test dev asan tsan fuzz tidy format-check  ## Everything a change must pass.

dev: build/dev/build.ninja  ## The tests on a Debug build.
	@cmake --build --preset dev
	@scripts/run_tests dev -j $(CTEST_JOBS)

asan: build/asan/build.ninja  ## The tests with AddressSanitizer and UBSan.
	@cmake --build --preset asan
	@scripts/run_tests asan -j $(CTEST_JOBS)

tsan: build/tsan/build.ninja  ## The tests with ThreadSanitizer.
	@cmake --build --preset tsan
	@scripts/run_tests tsan -j $(CTEST_JOBS)

fuzz: build/fuzz/build.ninja  ## Every fuzzer, for some seconds each.
	@cmake --build --preset fuzz --target fuzzers
	@ctest --preset fuzz -j $(CTEST_JOBS)

tidy: build/tidy/build.ninja  ## clang-tidy over every file that it has not found clean as it is.
	@scripts/tidy

# The commit to compare with. Empty: where this branch left main.
BASE ?=
tidy-changed: build/tidy/build.ninja  ## clang-tidy over what changed since BASE; seconds a file.
	@scripts/tidy --changed $(BASE)

format: setup  ## Format every source file.
	@clang-format -i $(sources)

format-check: setup  ## Fail when a source file is not formatted, or a line has more than 120 columns.
	@clang-format --dry-run --Werror $(sources)
	@awk 'length > 120 { print FILENAME ":" FNR ": " length " columns"; wide = 1 } END { exit wide }' $(sources)

clean:  ## Remove everything built.
	rm -rf build
