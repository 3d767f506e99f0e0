"""What `make` runs. Standard library only: it starts before anything is installed."""
