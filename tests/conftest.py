"""What the whole suite shares."""

import os
import signal
import sys
import textwrap

import browser as browsers
import ferrograph as fg
import processor_time
import pytest

# Every graph and plan is verified, in the programs that tests start, too. Read once, when the
# first graph is finished.
os.environ["FERROGRAPH_VERIFY"] = "1"

# A shell starts what it puts in the background with interrupts ignored, which programs inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def share():
    """``share(items, of, turn)``: every ``of``-th item, beginning with the ``turn``-th; all of them
    where FERROGRAPH_ATTACK is set. With a turn for each row of a matrix, every column has its share
    of rows."""
    is_whole = bool(os.environ.get("FERROGRAPH_ATTACK"))
    return lambda items, of, turn: list(items) if is_whole else list(items)[turn % of :: of]


@pytest.fixture(autouse=True)
def no_seed_of_another_test():
    """Every test begins without a global seed, whatever ran before it in the same process."""
    if library := sys.modules.get("ferrograph"):
        library.random.set_seed(None)


@pytest.fixture
def run_python(tmp_path):
    """Run a program in a fresh interpreter: a crash or a hang there fails one test and no other.

    ``timeout`` is in seconds of processor time; as many of waiting are a hang, too.
    """

    def run(program, *, timeout=60, check=True):
        file = tmp_path / "program.py"
        file.write_text(textwrap.dedent(program))
        done = processor_time.run(
            [sys.executable, "-X", "faulthandler", str(file)],
            capture_output=True,
            text=True,
            seconds=timeout,
            cwd=tmp_path,
            env={k: v for k, v in os.environ.items() if not k.startswith("PYTHON")},
        )
        if check:
            assert done.returncode == 0, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    return run


@pytest.fixture(autouse=True)
def printed_name():
    """Every test begins with the name that a program begins with: ``as_tensorflow`` changes it."""
    fg.config.set_printed_name("fg")


@pytest.fixture(scope="module")
def browser():
    """A headless Chromium, playwright's ``Browser``; the test is skipped where there is none.

    Of a module: while playwright is open, its event loop runs in this thread, so that
    ``asyncio.run`` fails.
    """
    if reason := browsers.missing():
        pytest.skip(reason)
    with browsers.launched() as launched:
        yield launched
