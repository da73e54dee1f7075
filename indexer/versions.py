"""Name the versions of what an index holds: an index of another one is built anew.

They stand apart so that a run without changes loads nothing else.
"""

SCHEMA_VERSION = 1  # of the tables
CHUNKER_VERSION = 5  # goes up with every change of what entries hold, or of what stands for their chunks in vectors
FILES = f"files_{SCHEMA_VERSION}_{CHUNKER_VERSION}"  # name of the table of files
