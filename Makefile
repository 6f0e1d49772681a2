# Set up and go. Everything happens in build/<preset>; the real build is CMake's (CMakePresets.json).
#
# Settings: PRESET=release|debug|asan|tsan|coverage   JOBS=N   CTEST_FLAGS='-R pattern'   FOLDERS='base job'   PREFIX=/usr/local   DESTDIR=

PRESET ?= release
JOBS   ?= $(shell nproc)
PREFIX ?= /usr/local
CTEST_FLAGS ?=
FOLDERS ?=
FOLDER ?=
STEPS ?=

.PHONY: build demo test test-arm tidy layers format abi check-all check-packages deb site packages install uninstall clean help

build: packages     ## the library, the tool with its benchmarks, the examples: build/release/{lib,bin}
	@scripts/build $(PRESET) $(JOBS) product

demo: packages      ## builds what it needs, then shows what the library does on this machine
	@scripts/build $(PRESET) $(JOBS) aqueduct_demo
	@build/$(PRESET)/bin/aqueduct-demo
	@echo 'The command aqueduct itself: `make build`, then build/$(PRESET)/bin/aqueduct.'

# Most tests wait more than they compute: twice as many run at a time as there are cores.
test: packages      ## builds all, then runs all tests
	@scripts/build $(PRESET) $(JOBS) all
	@ctest --preset $(PRESET) -j $$((2 * $(JOBS))) --no-tests=error $(CTEST_FLAGS)

test-arm: packages  ## the same for 64-bit Arm, a part of it, emulated: see docs/building.md, Platforms
	@scripts/sysroot build/sysroot-aarch64
	@scripts/build aarch64 $(JOBS) emulated
	@ctest --preset aarch64 -j $(JOBS) --no-tests=error $(CTEST_FLAGS)

tidy:               ## runs clang-tidy on the sources, or some FOLDERS of them; slow: seconds for each file
	@mkdir -p build && nice scripts/tidy $(JOBS) $(FOLDERS)

layers:             ## shows which folder includes which; FOLDER=job for one of them in detail (tests/layers/rules.txt has the rules)
	@scripts/layers $(FOLDER)

format:             ## runs clang-format on all sources
	@scripts/format

abi:                ## what the shared library exports against the last release; needs abigail-tools
	@scripts/abi check --jobs $(JOBS)

check-all:          ## everything once, in full, for hours: see scripts/check_all; STEPS='format tidy' for some of it
	@JOBS=$(JOBS) scripts/check_all $(STEPS)

check-packages: deb ## the packages in a fresh Debian 12: installed, used, removed; needs root and mmdebstrap
	@tests/packages/clean_root build/$(PRESET)/packages

deb: build          ## Debian packages: build/release/packages/*.deb
	@cd build/$(PRESET) && cpack -G DEB >packages.log || { cat packages.log >&2; exit 1; }
	@ls build/$(PRESET)/packages/*.deb

install: build      ## installs what `build` makes, into DESTDIR/PREFIX
	@DESTDIR='$(DESTDIR)' scripts/install build/$(PRESET) '$(PREFIX)'

uninstall:          ## removes from DESTDIR/PREFIX what `install` put there
	@DESTDIR='$(DESTDIR)' scripts/uninstall '$(PREFIX)'

site:               ## the documentation as pages with a search: build/site; needs mkdocs and mkdocs-material
	@scripts/site

packages:           ## sees to the Debian packages that the build needs
	@scripts/packages

clean:              ## removes all builds
	@rm -rf build

help:               ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /  make \1#/p' Makefile | sed 's/#/            /; s/^\(.\{19\}\) */\1/'
	@sed -n 's/^# \(Settings:\)/\1/p' Makefile
