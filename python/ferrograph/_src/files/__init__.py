"""Files: records, examples, messages, the file system, and summaries of a run."""
