"""What releases are made with: the scripts, the rules for dependencies, the workflows."""

import importlib.util
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
STEP = re.compile(r"^( +)(?:- )?run: (?:\|\n((?:\1  +.*\n|\n)+)|(.*)\n)", re.MULTILINE)


def script(name):
    """A script of .ci as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / ".ci" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def steps():
    """The commands of the workflows."""
    for workflow in WORKFLOWS:
        for _, block, line in STEP.findall(workflow.read_text()):
            yield workflow.name, block or line


@pytest.fixture
def sources(tmp_path):
    (tmp_path / "Cargo.toml").write_text(
        '[workspace.package]\nversion = "1.2.3"\n\n[workspace.dependencies]\nlibc = "1"\n'
    )
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\n\n[project.scripts]\n')
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2030-01-01\n\n### Added\n- A thing.\n\n"
        "## [1.2.2] - 2029-01-01\n\n### Fixed\n- Another.\n"
    )
    crate = tmp_path / "crates" / "a" / "Cargo.toml"
    crate.parent.mkdir(parents=True)
    crate.write_text('[package]\nname = "a"\nlicense.workspace = true\n')
    (tmp_path / "README.md").write_text("[a](docs/a.md#b), [c](https://c.org), [d](#d)\n")
    return tmp_path


def test_notes_are_the_part_about_a_version(sources):
    release = script("release")
    assert release.notes(sources, "v1.2.3") == "### Added\n- A thing."
    release.check(sources, "v1.2.3")


@pytest.mark.parametrize(
    ("tag", "said"), [("v1.2.2", "the version in Cargo.toml is 1.2.3"), ("1.2.3", "the tag is")]
)
def test_another_tag_is_refused(sources, tag, said):
    with pytest.raises(SystemExit, match=said):
        script("release").check(sources, tag)


def test_a_version_without_notes_is_refused(sources):
    with pytest.raises(SystemExit, match="nothing about v9"):
        script("release").notes(sources, "v9.9.9")


def test_a_version_without_a_date_is_refused(sources):
    changelog = sources / "CHANGELOG.md"
    changelog.write_text(changelog.read_text().replace("2030-01-01", "unreleased"))
    with pytest.raises(SystemExit, match="has no date for v1.2.3"):
        script("release").check(sources, "v1.2.3")


def test_the_changelog_describes_the_version():
    release = script("release")
    assert release.notes(ROOT, f"v{release.version(ROOT)}").startswith("### Added\n- ")


def test_the_address_is_written_once(sources):
    release = script("release")
    for _ in range(2):
        release.set_urls(sources, "https://example.org/x/")
    assert (sources / "pyproject.toml").read_text().count("https://example.org/x") == 2
    assert 'repository = "https://example.org/x"\n' in (sources / "Cargo.toml").read_text()
    crate = (sources / "crates" / "a" / "Cargo.toml").read_text()
    assert crate.count("\nlicense.workspace = true\nrepository.workspace = true\n") == 1
    assert crate.count("repository") == 1
    link = "https://example.org/x/blob/main/docs/a.md#b"
    assert (sources / "README.md").read_text() == f"[a]({link}), [c](https://c.org), [d](#d)\n"
    with pytest.raises(SystemExit, match="no https address"):
        release.set_urls(sources, "")
    with pytest.raises(SystemExit, match="set the variable DOCS_URL"):
        release.set_urls(sources, "https://example.org/x", "http://x")


def test_the_address_of_the_site_is_one_of_the_manifest(sources):
    script("release").set_urls(sources, "https://example.org/x", "https://x.example.org/docs/")
    urls = (sources / "pyproject.toml").read_text().partition("[project.urls]\n")[2]
    assert 'Documentation = "https://x.example.org/docs"' in urls.partition("\n\n")[0].splitlines()


def test_links_of_the_readme_lead_on_from_anywhere_after_that(sources):
    (sources / "README.md").write_text((ROOT / "README.md").read_text())
    script("release").set_urls(sources, "https://example.org/x")
    links = re.findall(r"\]\(([^)]+)\)", (sources / "README.md").read_text())
    assert len(links) > 20
    assert [link for link in links if not link.startswith("https://")] == []


@pytest.mark.parametrize(
    ("expression", "is_fine"),
    [
        ("MIT", True),
        ("MIT/GPL-3.0", True),
        ("MIT AND GPL-3.0", False),
        ("(MIT OR GPL-3.0) AND Zlib", True),
        ("GPL-3.0 OR (Zlib AND MIT)", True),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("MIT WITH LLVM-exception", False),
    ],
)
def test_licences(expression, is_fine):
    allowed = {"MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"}
    assert script("deny").is_allowed(expression, allowed) is is_fine


def test_dependencies_that_break_the_rules_are_named():
    config = {
        "licenses": {"allow": ["MIT"]},
        "sources": {"allow-registry": ["https://index"]},
        "bans": {"skip": [{"crate": "gone@1.0.0"}]},
    }
    package = {
        "name": "a",
        "version": "1.0.0",
        "license": "MIT",
        "source": "registry+https://index",
    }
    packages = [
        package,
        {**package, "version": "2.0.0"},
        {**package, "name": "b", "license": None},
        {**package, "name": "c", "source": "git+https://elsewhere"},
    ]
    assert list(script("deny").problems(config, packages)) == [
        "b@1.0.0: the licence None is not among those that are allowed",
        "c@1.0.0: comes from git+https://elsewhere",
        "several versions of one package: a@1.0.0, a@2.0.0",
        "deny.toml: gone@1.0.0 is skipped, and is no duplicate",
    ]


def test_wheels_are_held_to_their_tag(tmp_path):
    import ferrograph._core

    wheels = script("wheels")
    library = Path(ferrograph._core.__file__)
    for tag in ("manylinux_2_99", "manylinux_2_5"):
        path = tmp_path / f"x-1-cp311-cp311-{tag}_x86_64.whl"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as files:
            files.write(library, "ferrograph/_core.so")
    new, old = sorted(tmp_path.iterdir(), key=lambda path: "2_5" in path.name)
    assert list(wheels.problems(new)) == []
    assert any("asks for GLIBC_2." in line for line in wheels.problems(old))


def test_each_command_of_the_workflows_is_one_that_a_shell_reads():
    found = list(steps())
    assert len(found) > 10
    for name, command in found:
        plain = re.sub(r"\$\{\{.*?\}\}", "value", command)
        run = subprocess.run(["bash", "-n"], input=plain, text=True, capture_output=True)
        assert run.returncode == 0, f"{name}: {command}: {run.stderr}"


def test_the_workflows_call_targets_and_scripts_that_exist():
    makefile = (ROOT / "Makefile").read_text()
    for name, command in steps():
        for target in re.findall(r"\bmake ([a-z-]+)", command):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"{name}: make {target}"
        for path in re.findall(r"\S+\.py\b", command):
            assert (ROOT / path).exists(), f"{name}: {path}"


def test_each_crate_but_the_bindings_can_be_published():
    manifest = _text("Cargo.toml")
    version = script("release").version(ROOT)
    inner = re.findall(r'^ferrograph[\w-]* = \{ path = "crates/(\w+)"(.*) \}$', manifest, re.M)
    assert {rest for _, rest in inner} == {f', version = "{version}"'}
    folders = {path.parent.name for path in ROOT.glob("crates/*/Cargo.toml")}
    assert {name for name, _ in inner} == folders - {"python"}
    for name in sorted(folders):
        crate = _text(f"crates/{name}/Cargo.toml")
        assert ("\npublish = false\n" in crate) == (name == "python")
        assert re.search(r'^description = ".+"$', crate, re.M)


def test_what_a_crate_reads_while_building_is_in_it():
    """Files outside of a crate's folder are not there once it is published."""
    reads = re.compile(r'\binclude(?:_str|_bytes)?!\(\s*"([^"]+)"')
    found = 0
    for source in ROOT.glob("crates/*/src/**/*.rs"):
        src = ROOT / "crates" / source.relative_to(ROOT).parts[1] / "src"
        for name in reads.findall(source.read_text()):
            path = (source.parent / name).resolve()
            assert path.is_relative_to(src), f"{source}: {name}"
            assert path.is_file(), f"{source}: {name}"
            found += 1
    assert found


def test_each_declared_python_is_tested_and_released():
    declared = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', _text("pyproject.toml"))
    released = re.search(r"^RELEASED \?= (.*)$", _text("Makefile"), re.MULTILINE)[1].split()
    assert [python.rstrip("t") for python in released if python != "3.14t"] == declared
    others = _text(".github/workflows/wheels.yml")
    assert f"--interpreter {' '.join(released)}\n" in others
    tested = re.findall(
        r'"(3\.\d+)"', re.search(r"python: \[.*\]", _text(".github/workflows/tests.yml"))[0]
    )
    assert set(tested) <= set(declared)
    smoke = others.split("\n  smoke:\n")[1]
    smoked = re.findall(r'"(3\.\d+)"', re.search(r"python: \[.*\]", smoke)[0])
    assert smoked == declared
    assert "- run: make smoke OTHER=python\n" in smoke
    only_reported = re.findall(r"== '(3\.\d+)'", re.search(r"continue-on-error: .*", smoke)[0])
    assert set(only_reported) == set(declared) - set(tested)
    # A release waits for all that.
    assert "uses: ./.github/workflows/wheels.yml\n" in _text(".github/workflows/release.yml")


def test_the_workflows_pass_actionlint():
    tool = shutil.which("actionlint")
    if tool is None:
        pytest.skip("actionlint is not on the PATH; the workflow of the lints runs it")
    run = subprocess.run([tool], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def _text(path):
    return (ROOT / path).read_text()
