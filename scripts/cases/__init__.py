"""Run cases from public bug reports against the installed product; ``run.run_case`` runs one of them.

The form of a case is described in ``tests/cases/README.md``. What the product calls things stands in
``product`` alone; every other module speaks the words of that description.
"""
