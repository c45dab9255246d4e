"""The lint that reports what nobody uses."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / ".ci" / "unused.py"


def lint(root):
    run = subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True)
    return run.returncode, run.stdout


def write(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def workspace(root, user):
    write(
        root,
        {
            "Cargo.toml": '[workspace.dependencies]\nrayon = "1"\nlibm = "0.2"\n',
            "crates/kernels/Cargo.toml": "[dependencies]\nrayon.workspace = true\n",
            "crates/kernels/src/lib.rs": "pub mod moves;\n",
            "crates/kernels/src/moves.rs": "mod deep;\npub use deep::{Way, carry};\n"
            "pub fn lift() {\n    rayon::join(a, b);\n}\n",
            "crates/kernels/src/moves/deep.rs": "pub enum Way {\n    There,\n}\n"
            "pub fn carry(way: Way) -> usize {\n    1\n}\n"
            "#[cfg(test)]\nmod tests {\n    use super::*;\n}\n",
            "crates/user/Cargo.toml": "[dependencies]\nlibm.workspace = true\n",
            "crates/user/src/lib.rs": user,
        },
    )


def test_what_is_named_is_used(tmp_path):
    workspace(
        tmp_path,
        "use ferrograph_kernels::moves::{self as m, carry};\n"
        "fn f() { m::lift(); libm::exp(1.0); }\n",
    )
    assert lint(tmp_path) == (0, "")


def test_comments_and_strings_name_nothing(tmp_path):
    workspace(
        tmp_path,
        'use ferrograph_kernels::moves::carry;\n// moves::lift()\nconst S: &str = "libm::exp";\n',
    )
    status, report = lint(tmp_path)
    assert status == 1
    assert report.splitlines() == [
        "crates/kernels: nobody uses `lift`",
        "crates/user/Cargo.toml: no source names `libm`",
    ]


def test_a_declaration_needs_only_what_it_names(tmp_path):
    workspace(tmp_path, "use ferrograph_kernels::moves::lift;\nfn f() { libm::exp(1.0); }\n")
    status, report = lint(tmp_path)
    assert status == 1
    assert report.splitlines() == [
        "crates/kernels: nobody uses `Way`",
        "crates/kernels: nobody uses `carry`",
    ]
