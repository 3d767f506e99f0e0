"""Several machines, by the real programs: a pooler, Sentinels, a proxy."""
