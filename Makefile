# adtape: what there is to do, each target with its own set-up (scripts/setup.sh: installs what is missing, says so).
#
# Variables, given as in `make install PREFIX=/opt/adtape` or in the environment: PREFIX, DESTDIR, LIBDIR, FC, CC, MPICC of
# install (scripts/install.sh); SIZE of demo; NO_INSTALL=1 keeps the set-up from installing anything.

SHELL := /bin/bash
export PATH := $(PATH):$(HOME)/.cargo/bin

SETUP := @scripts/setup.sh
PLOT := examples/shallow_water/plot/Cargo.toml
LIBRARY := cargo build --release --locked --lib
# Always the same packages: each alone has other features of what they share, and builds it anew. A bench needs criterion.
TESTS := cargo test --locked --workspace --exclude adtape-speed --no-fail-fast
# Without what make matrix runs.
QUICK := --skip lto:: --skip matrix:: --skip mpi::example::
SECONDS_OF_FUZZ ?= 60

.DEFAULT_GOAL := help
RESTORATIONS ?= 100000
PROGRAMS ?= 10000
ADDRESS_PROGRAMS ?= 100000
MPI_PROGRAMS ?= 100000
MPI_KILLS ?= 1000
FROM ?= 1

.PHONY: help demo demo-mpi test matrix restoration programs nightly bilingual-programs heap-programs address-programs mpi-random mpi-kills reference bench bench-record dist build install uninstall sanitize races test-flang fuzz loom counts mutants analysis-mutants lint oldest-rust bless clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

demo: ## an adjoint from the generator, checked; a real model in C and in Fortran (SIZE=large: a tape of many GB)
	$(SETUP) demo
	cargo build --locked -p adtape-command & $(LIBRARY) && wait $$!
	@$(MAKE) --no-print-directory -f examples/generated/demo.mk demo
	@$(MAKE) --no-print-directory -f examples/shallow_water/demo.mk demo

demo-mpi: ## the model of the demo on 1 to 4 ranks, beside the serial one (MPICC=mpicc, MPIFC=, MPIEXEC=, SIZE=)
	$(SETUP) demo-mpi
	$(LIBRARY)
	@$(MAKE) --no-print-directory -f examples/shallow_water_mpi/demo.mk demo

test: ## the tests, but for those of make matrix; with MPICH
	$(SETUP) test
	@# Library and tests are built beside each other: much of each has work for one core only. What an incremental build
	@# notes down for the next one takes a tenth of the time.
	CARGO_INCREMENTAL=0 $(TESTS) --no-run & $(LIBRARY) && wait $$!
	@# In two parts beside each other: no core waits for the last test of a program. What the first part says comes last.
	@export CARGO_INCREMENTAL=0; log=$$(mktemp); \
	  $(TESTS) --test outside -- $(QUICK) >$$log 2>&1 & outside=$$!; \
	  trap "kill $$outside; rm -f $$log" INT TERM; \
	  $(TESTS) --exclude adtape-outside -- $(QUICK); others=$$?; \
	  wait $$outside; outside=$$?; cat $$log; rm -f $$log; exit $$((outside | others))

matrix: ## further tests: Fortran and the kit with -flto, at other levels and linked otherwise, MPI under Open MPI, the generator with other clangs and programs, what takes long
	$(SETUP) test matrix
	$(LIBRARY)
	TEST_STATIC=1 TEST_LEVELS="-O0 -O1 -O3" $(TESTS) --test outside fortran:: -- --skip error --skip matrix:: --skip mpi::
	TEST_LEVELS="-O0 -O1 -O2 -Os -O3 -Ofast" $(TESTS) --test outside -- call_sites kit::lto::
	TEST_STATIC=1 TEST_MPIS=openmpi $(TESTS) --test outside mpi:: -- --skip example:: --skip install:: --skip matrix::
	TEST_ALL=1 TEST_MPIS=openmpi $(TESTS) --test command messages::
	@# What make test leaves out, and what compares the MPIs.
	TEST_MPIS="openmpi mpich" TEST_UNDEFINED=1 $(TESTS) -- matrix:: example::
	PROGRAMS=70 BILINGUAL=30 FROM=31 $(TESTS) --test random
	@# The library's random programs, all of them (src/part.rs), and all children of fork (ctests/child.h).
	TEST_ALL=1 $(TESTS) --test heap --test model -- --skip on_the_stable_heap --skip on_the_heap
	TEST_ALL=1 $(TESTS) --test outside -- c_programs::forks
	TEST_UNDEFINED=1 TEST_LEVELS="-O2" $(TESTS) --test command --test written -- programs:: check:: examples:: joint:: fortran:: --skip matrix::
	ADTAPE_CLANGS="14 15 16 19" $(TESTS) --test written clangs::

restoration: ## random programs through checkpoints of pointers and memory, RESTORATIONS (100000) of them
	$(SETUP) test
	ADTAPE_RESTORATION_RUNS=$(RESTORATIONS) cargo test --release --locked --test restoration -- --nocapture

programs: ## random programs through the generator, PROGRAMS (10000) of them from seed FROM (1)
	$(SETUP) test
	$(LIBRARY)
	PROGRAMS=$(PROGRAMS) FROM=$(FROM) cargo test --release --locked -p adtape-generate --test random -- --nocapture --skip bilingual

bilingual-programs: ## random programs in Fortran and in C, PROGRAMS (10000) of them from seed FROM (1)
	$(SETUP) test
	$(LIBRARY)
	BILINGUAL=$(PROGRAMS) FROM=$(FROM) cargo test --release --locked -p adtape-generate --test random bilingual -- --nocapture

nightly: ## 100000 random programs through the generator from seed FROM (1): fails if one is wrong or 2 % are refused
	$(MAKE) programs PROGRAMS=100000 FROM=$(FROM)

heap-programs: ## random programs with lists, trees and buffers, PROGRAMS (10000) of them from seed FROM (1)
	$(SETUP) test
	$(LIBRARY)
	HEAP_PROGRAMS=$(PROGRAMS) HEAP_SEED=$(FROM) cargo test --release --locked -p adtape-generate --test heap random -- --nocapture

address-programs: ## random programs of calls on addresses, ADDRESS_PROGRAMS (100000) of them, beside a naive model
	$(SETUP) test
	ADDRESS_PROGRAMS=$(ADDRESS_PROGRAMS) cargo test --release --locked --test addresses -- --nocapture

mpi-random: ## random programs of messages on 1 to 4 ranks, MPI_PROGRAMS (100000) under each MPI from seed FROM (1)
	$(SETUP) mpi-random
	$(LIBRARY)
	TEST_MPIS="openmpi mpich" MPI_PROGRAMS=$(MPI_PROGRAMS) FROM=$(FROM) $(TESTS) --test outside mpi::random_programs_agree -- --nocapture

mpi-kills: ## jobs that are killed while they write checkpoints of all ranks, MPI_KILLS (1000) under each MPI
	$(SETUP) mpi-random
	$(LIBRARY)
	TEST_MPIS="openmpi mpich" MPI_KILLS=$(MPI_KILLS) $(TESTS) --test outside killed_at_any_moment -- --nocapture

bench: ## speed beside the hardware's limit, in the same run; ends with one table
	$(SETUP) bench
	@scripts/bench.sh

bench-record: ## make bench, and benches/RESULTS.md with its table and the machine's description
	$(SETUP) bench
	@scripts/bench.sh record

dist: ## target/adtape-VERSION.tar.gz, which builds without a network (docs/packages.md)
	@scripts/dist.sh

build: ## libadtape.a and libadtape.so in target/release
	$(SETUP) build
	$(LIBRARY)

install: ## library, headers, Fortran module, command, pkg-config and CMake files under PREFIX (/usr/local); MPICC=mpicc MPIFC=mpifort: libadtape_mpi
	@scripts/install.sh

uninstall: ## removes what make install has put under PREFIX
	@scripts/uninstall.sh

sanitize: ## AddressSanitizer, UndefinedBehaviorSanitizer and valgrind on the Rust, C and Fortran tests
	$(SETUP) sanitize
	$(LIBRARY)
	@scripts/sanitize.sh

races: ## ThreadSanitizer on the Rust tests that start threads (a quarter of an hour)
	$(SETUP) races
	@scripts/sanitize.sh races

test-flang: ## the tests of the Fortran module, of the examples and of the installation, with flang 19
	$(SETUP) test-flang
	$(LIBRARY)
	@# The installed MPIs have modules of gfortran's.
	FC=flang-new-19 CC=clang-19 $(TESTS) --test outside -- fortran:: install:: --skip lto:: --skip mpi::
	TEST_STATIC=1 FC=flang-new-19 CC=clang-19 $(TESTS) --test outside in_fortran -- --skip broken --skip demo:: --skip docs:: --skip kit:: --skip mpi:: \
	  --skip profile:: --skip restart::

fuzz: ## random tape programs, found by coverage, SECONDS_OF_FUZZ (60) for each target
	$(SETUP) fuzz
	@SECONDS_OF_FUZZ=$(SECONDS_OF_FUZZ) scripts/fuzz.sh

analysis-mutants: ## faults put into the analyses of the generator, a test must notice each: FAULTS="3 17" for some (an hour)
	$(SETUP) test
	$(LIBRARY)
	ANALYSIS_MUTANTS=1 PROGRAMS=200 $(TESTS) --test mutants -- --nocapture

mutants: ## faults put into the code one by one, a test must find each: MUTATED=file for some files, JOBS at a time (hours)
	$(SETUP) mutants
	@scripts/mutants.sh $(MUTATED)

loom: ## every interleaving of what several threads touch
	$(SETUP) loom
	CARGO_PROFILE_TEST_OPT_LEVEL=1 CARGO_PROFILE_TEST_LTO=off RUSTFLAGS="--cfg loom" cargo test --locked --lib --target-dir target/loom models

reference: ## the schedules beside those of the Python package checkpoint_schedules
	$(SETUP) reference
	cargo test --locked --test reference

counts: ## instructions of the fast paths against their bounds, growth of the generator's
	$(SETUP) counts
	$(LIBRARY)
	@scripts/counts.sh
	@# The command as the tests have it, which is there already where they ran.
	$(TESTS) --no-run --test counts
	@scripts/growth.sh

lint: ## formatting, clippy and rustdoc: a warning is an error
	$(SETUP) lint
	cargo fmt --all --check
	cargo fmt --check --manifest-path tests/fuzz/Cargo.toml
	cargo fmt --check --manifest-path $(PLOT)
	cargo fmt --check --manifest-path benches/compression/Cargo.toml
	cargo fmt --check --manifest-path benches/allocators/Cargo.toml
	cargo clippy --locked --workspace --all-targets -- -D warnings
	cargo clippy --locked --manifest-path $(PLOT) --target-dir target/plot -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps --document-private-items

oldest-rust: ## the library with the oldest Rust that Cargo.toml names
	@scripts/oldest_rust.sh

bless: ## writes the generated files anew: header, symbols, Fortran interfaces, reference, examples, manual pages
	ADTAPE_BLESS=1 cargo test --locked -p adtape-outside symbols:: -- --skip kit::
	ADTAPE_BLESS=1 cargo test --locked -p adtape-tools --test header
	cargo run --locked --package adtape-tools
	ADTAPE_BLESS=1 cargo test --locked -p adtape-command --bin adtape
	ADTAPE_BLESS=1 cargo test --locked -p adtape-command --test command -- examples:: profiles::

clean: ## removes what was built
	cargo clean
