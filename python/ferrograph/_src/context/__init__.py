"""Where the program is: the thread's regions and scopes, whose code runs, tracebacks, settings."""
