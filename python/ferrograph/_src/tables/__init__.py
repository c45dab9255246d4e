"""Hash tables and queues: what programs keep by key, and in line, from call to call."""
