"""The state of the thread (regions and scopes), ownership of code, tracebacks, settings."""
