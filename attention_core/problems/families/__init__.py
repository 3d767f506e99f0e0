"""All families, one file each, which defines FAMILY; a new one needs nothing else."""
