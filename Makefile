# Set up and go. Everything happens in build/<preset>; the real build is CMake's (CMakePresets.json).
#   make demo    build, then run the main job on shared memory
#   make test    build, then run all tests
#   make build   the release build alone: build/release/bin/aqueduct
#   make PRESET=asan test    another preset: release, debug, asan, tsan

PRESET ?= release
JOBS   ?= $(shell nproc)
CTEST_FLAGS ?=

.PHONY: build demo test packages install clean

build: packages
	@cmake --preset $(PRESET) -Wno-dev > build/$(PRESET)-configure.log 2>&1 || { cat build/$(PRESET)-configure.log; exit 1; }
	@cmake --build --preset $(PRESET) -j $(JOBS)

packages:
	@./scripts/packages
	@mkdir -p build

demo: build
	@build/$(PRESET)/bin/aqueduct demo

test: build
	@ctest --preset $(PRESET) -j $(JOBS) --no-tests=error $(CTEST_FLAGS)

install: build
	@cmake --install build/$(PRESET)

clean:
	@rm -rf build
