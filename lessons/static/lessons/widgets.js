// @bundle
// Every widget's script, bundled for all pages: each finds its own figures.

import "./widgets/*.js";
