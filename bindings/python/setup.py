"""Builds the wheel; pyproject.toml has the rest.

The extension is taken from a build of the repository (MAYFLY_EXTENSION names the file), or compiled
with pybind11's headers against an installed libmayfly: MAYFLY_PREFIX is where include/ and lib/ are,
/usr unless set.
"""

import glob
import os
import shutil

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

PREFIX = os.environ.get("MAYFLY_PREFIX", "/usr")


class BuildExtension(build_ext):
    def build_extension(self, extension):
        ready = os.environ.get("MAYFLY_EXTENSION")
        if not ready:
            super().build_extension(extension)
            return
        target = self.get_ext_fullpath(extension.name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(ready, target)


setup(
    ext_modules=[Extension(
        "mayfly._mayfly",
        sources=sorted(glob.glob("src/*.cc")),
        depends=sorted(glob.glob("src/*.h")),
        include_dirs=[os.path.join(PREFIX, "include"), "src"],
        library_dirs=[os.path.join(PREFIX, "lib")],
        runtime_library_dirs=[] if PREFIX == "/usr" else [os.path.join(PREFIX, "lib")],
        libraries=["mayfly"],
        extra_compile_args=["-std=c++20", "-fvisibility=hidden", "-g0"],
        language="c++",
    )],
    cmdclass={"build_ext": BuildExtension},
)
