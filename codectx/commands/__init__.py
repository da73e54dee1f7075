"""Hold what the commands do: ``tool`` for every tool, one module for each other; loaded only when chosen."""
