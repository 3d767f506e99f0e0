"""More machines than one, by the real programs: a pooler, a standby, Sentinels, a proxy."""
