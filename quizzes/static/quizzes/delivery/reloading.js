// Asks for a page again that waits for something: the server works on it with every request.

import { pause } from "../asking.js";

await pause(500);
location.reload();
