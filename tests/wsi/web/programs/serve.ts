// Serves the page without any permission but the network's, and gets it.
import { webViewer } from "../../../../wsi/web/web_viewer.ts";

await using viewer = webViewer();
viewer.window({ name: "one" });
console.log((await (await fetch(viewer.url)).text()).split("\n")[0]);
