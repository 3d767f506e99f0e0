"""What the service survives: servers killed, frozen, emptied and full, and what people do.

`cases.py` has every case with the tests that try it, wherever they stand; `make faults` runs them
and writes docs/reliability.md.
"""
