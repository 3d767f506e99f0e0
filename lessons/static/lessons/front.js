// @bundle
// The first page of whoever has no account: its sentence comes to life.

import "./widgets/looking_back.js";
