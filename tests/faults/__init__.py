"""Faults that the service survives: servers killed, frozen, emptied and full, and people's.

`cases.py` lists every case with the tests that try it, in any folder; `make faults` runs them and
writes docs/reliability.md.
"""
