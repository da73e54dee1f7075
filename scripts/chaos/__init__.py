"""What ``scripts/chaos.py`` is made of; the tests of the index's promises use the same changes and the same truth."""
