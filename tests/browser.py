"""A headless Chromium for the tests of pages: the system's own, driven by playwright."""

import contextlib
import os
import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def missing():
    """What a browser needs that is not here; empty where all is."""
    if executable() is None:
        return f"no browser is installed as one of {', '.join(NAMES)}"
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError as e:
        return f"playwright is not installed: {e}"
    return ""


def executable():
    """The browser, None where there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextlib.contextmanager
def launched():
    """A running browser: playwright's ``Browser``."""
    from playwright.sync_api import sync_playwright

    arguments = ["--disable-gpu", "--disable-dev-shm-usage"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        arguments.append("--no-sandbox")  # which Chromium refuses to make for root
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=arguments)
        try:
            yield browser
        finally:
            browser.close()
