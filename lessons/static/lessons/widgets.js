// @bundle
// Every widget's script, in one file for all pages: each looks for its own figures.

import "./widgets/*.js";
