"""One file a family; each defines FAMILY. A new file here is all that a new family needs."""
