// @bundle
// Every widget's script, in one file for all pages: each looks for its own figures.

import "./widgets/attention_map.js";
import "./widgets/attention_steps.js";
import "./widgets/live_sentence.js";
import "./widgets/softmax_slider.js";
import "./widgets/two_contexts.js";
