// Reloads a waiting page: each request makes the server continue its work.

import { pause } from "../asking.js";

await pause(500);
location.reload();
