"""How dates are written where a page does not say: `FORMAT_MODULE_PATH`."""
