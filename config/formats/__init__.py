"""Date formats by language, for `FORMAT_MODULE_PATH`."""
