"""What pyproject.toml cannot say: the folders beside the packages are part of the wheel, below `safe_explorer`."""

from setuptools import find_packages, setup

SHIPPED = ("data", "docs", "notebooks")
"""`core.folders` finds them there, and in the repository where they are."""

setup(
    packages=[*find_packages(include=["app*", "core*"]), *(f"safe_explorer.{name}" for name in SHIPPED)],
    package_dir={f"safe_explorer.{name}": name for name in SHIPPED},
    package_data={
        "app": ["**/*.css", "**/*.html", "**/*.js"],
        "core": ["EQUATIONS.md"],
        **{f"safe_explorer.{name}": ["**/*"] for name in SHIPPED},
        "safe_explorer.docs": ["**/*", "../CITATION.cff"],  # beside the folders, as in the repository
    },
    exclude_package_data={
        "safe_explorer.data": ["*/studies/*"],  # records behind the tables: not shipped, see data/README.md
        "safe_explorer.notebooks": [".ipynb_checkpoints/*"],
    },
)
