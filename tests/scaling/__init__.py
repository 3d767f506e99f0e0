"""More machines than one, by the real programs: a pooler, Sentinels, a proxy."""
