"""The mathematics of attention: plain functions of arrays, with any leading batch axes."""
