// @bundle
// Makes the sentence on the visitors' front page interactive.

import "./widgets/looking_back.js";
