"""adtape for Spack: docs/packages.md says how it is used."""

import os

from spack_repo.builtin.build_systems.generic import Package

from spack.package import *


class Adtape(Package):
    """Run-time library of adjoint code: the tape that forward and reverse sweep share, for C, Fortran and Rust, and the
    drop-in symbols for the run-time of Tapenade."""

    license("MIT OR Apache-2.0")

    # The archive that `make dist` writes; it has all crates. This repository lies beside it, in scripts/packaging/spack.
    version("0.1.0")

    @property
    def archive_url(self):
        here = os.path.dirname(os.path.realpath(__file__))
        return os.path.realpath(os.path.join(here, "../../../../../../../target"))

    def url_for_version(self, version):
        return f"file://{self.archive_url}/adtape-{version}.tar.gz"

    depends_on("c", type="build")
    depends_on("fortran", type="build")
    depends_on("rust@1.89:", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="run")

    def install(self, spec, prefix):
        make("install", f"PREFIX={prefix}", "NO_INSTALL=1")
