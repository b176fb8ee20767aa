"""Build a wheel that holds one package, a3t.

The source tree has `alignment` and `app` at its top. In site-packages such names are nobody's to
take, so a wheel holds them as `a3t.alignment` and `a3t.app`, and the import statements of its
modules are rewritten while they are copied. An editable install changes nothing.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from setuptools import find_namespace_packages, setup
from setuptools.command.build_py import build_py

INSIDE = ("alignment", "app")
IMPORT = re.compile(rf"^((?:>>> )?\s*(?:from|import) )({'|'.join(INSIDE)})\b", re.MULTILINE)


class BuildOnePackage(build_py):
    """Copies the modules, `alignment` and `app` under the names that they have in a wheel."""

    def build_module(self, module, module_file, package):  # type: ignore[no-untyped-def]
        done = super().build_module(module, module_file, package)
        if not self.editable_mode:
            copy = Path(done[0])
            text = copy.read_text(encoding="utf-8")
            copy.write_text(IMPORT.sub(r"\1a3t.\2", text), encoding="utf-8")
        return done


packages = find_namespace_packages(include=["a3t", "a3t.*"])
inside = find_namespace_packages(
    include=[pattern for name in INSIDE for pattern in (name, f"{name}.*")]
)
laboratory = find_namespace_packages(
    include=["evaluation", "evaluation.*", "training", "training.*"]
)
if "editable_wheel" in sys.argv:
    # A path that mypy and other readers of code can follow, where setuptools would install a hook.
    setup(packages=packages + inside + laboratory, package_dir={"": "."})
else:
    setup(
        packages=packages + [f"a3t.{name}" for name in inside],
        package_dir={f"a3t.{name}": name for name in INSIDE},
        cmdclass={"build_py": BuildOnePackage},
    )
