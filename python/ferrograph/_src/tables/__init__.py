"""Hash tables and queues, which keep their contents between calls."""
