# Set up and go. Everything happens in build/<preset>; the real build is CMake's (CMakePresets.json).
#
# Settings: PRESET=release|debug|asan|tsan   JOBS=N   CTEST_FLAGS='-R pattern'   FOLDERS='base job'   PREFIX=/usr/local   DESTDIR=

PRESET ?= release
JOBS   ?= $(shell nproc)
PREFIX ?= /usr/local
CTEST_FLAGS ?=
FOLDERS ?=

.PHONY: build demo test tidy packages install uninstall clean help

build: packages     ## the library, the tool with its benchmarks, the examples: build/release/{lib,bin}
	@scripts/build $(PRESET) $(JOBS) product

demo: packages      ## builds what it needs, then shows what the library does on this machine
	@scripts/build $(PRESET) $(JOBS) aqueduct_demo
	@build/$(PRESET)/bin/aqueduct-demo
	@echo 'The command aqueduct itself: `make build`, then build/$(PRESET)/bin/aqueduct.'

test: packages      ## builds all, then runs all tests
	@scripts/build $(PRESET) $(JOBS) all
	@ctest --preset $(PRESET) -j $(JOBS) --no-tests=error $(CTEST_FLAGS)

tidy:               ## runs clang-tidy on src/, or on some FOLDERS of it; slow: seconds for each file
	@mkdir -p build && nice scripts/tidy $(JOBS) $(FOLDERS)

install: build      ## installs what `build` makes, into DESTDIR/PREFIX
	@DESTDIR='$(DESTDIR)' scripts/install build/$(PRESET) '$(PREFIX)'

uninstall:          ## removes from DESTDIR/PREFIX what `install` put there
	@DESTDIR='$(DESTDIR)' scripts/uninstall '$(PREFIX)'

packages:           ## sees to the Debian packages that the build needs
	@scripts/packages

clean:              ## removes all builds
	@rm -rf build

help:               ## this list
	@sed -n 's/^\([a-z]*\):[^#]*## /  make \1#/p' Makefile | sed 's/#/            /; s/^\(.\{19\}\) */\1/'
	@sed -n 's/^# \(Settings:\)/\1/p' Makefile
