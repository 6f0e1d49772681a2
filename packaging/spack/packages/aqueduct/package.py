# A Spack recipe. From a checkout of the sources:
#
#   spack repo add packaging/spack
#   spack dev-build aqueduct@0.3.0 +ofi
from spack.package import *


class Aqueduct(CMakePackage):
    """One-sided communication for parallel programs: active messages, remote put and get, atomics, teams and
    collectives, with the C interface of GASNet-EX. The network is chosen when a job starts."""

    license("BSD-3-Clause")

    version("0.3.0")

    variant("tools", default=True, description="The command aqueduct: launcher, benchmarks, simulation")
    variant("ofi", default=False, description="The conduit over libfabric, a plug-in")
    variant("mpi", default=False, description="The conduit over Open MPI or MPICH, a plug-in")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.24:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    # Where the system has libIPSec_MB and its header, datagrams are sealed by it as well; Spack has no package of it.
    depends_on("libsodium", type=("build", "run"))
    depends_on("cli11", type="build", when="+tools")
    depends_on("nlohmann-json", type="build", when="+tools")
    depends_on("fmt", when="+tools")
    depends_on("tomlplusplus", when="+tools")
    depends_on("boost+context", when="+tools")
    depends_on("libfabric@1.15:", when="+ofi")
    depends_on("mpi", when="+mpi")

    conflicts("%gcc@:11", msg="Aqueduct needs C++20 of GCC 12 or newer")
    conflicts("platform=darwin", msg="Aqueduct runs on Linux")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define_from_variant("AQUEDUCT_BUILD_TOOLS", "tools"),
            self.define("AQUEDUCT_BUILD_TESTS", False),
            self.define("AQUEDUCT_SODIUM_INCLUDE", self.spec["libsodium"].prefix.include),
        ]
        # Plug-ins are built for what is found; what was not asked for must not be found on the host.
        if "+mpi" in self.spec:
            args.append(self.define("AQUEDUCT_OPENMPI_COMPILER", self.spec["mpi"].mpicc))
            args.append(self.define("AQUEDUCT_MPICH_COMPILER", self.spec["mpi"].mpicc))
        else:
            args.append(self.define("AQUEDUCT_OPENMPI_COMPILER", False))
            args.append(self.define("AQUEDUCT_MPICH_COMPILER", False))
        return args

    def setup_run_environment(self, env):
        # The library is loaded by name when a job seals its datagrams.
        env.prepend_path("LD_LIBRARY_PATH", self.spec["libsodium"].prefix.lib)

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        if "+tools" in self.spec:
            Executable(self.prefix.bin.aqueduct)("demo")
