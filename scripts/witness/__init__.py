"""Ask somebody else what a file defines, to hold summaries against it; ``scripts/compare_ctags.py`` is the command.

``ctags``, ``grammar``, ``python_ast`` and ``typescript`` each give the ``Definition``s of a file; ``compare`` holds the
symbols of a summary against them; ``known`` lists where a witness itself is wrong.
"""
