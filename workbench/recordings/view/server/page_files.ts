import { CSS, HTML, JS, type PageFiles, sharedFiles } from "../../../../wsi/web/page.ts";
import { FILES } from "../gen/page_gen.js";

/** The scripts of the page, in an order in which each imports only earlier ones. */
export const SCRIPTS = [
  "dom.js",
  "source.js",
  "rows.js",
  "event_row.js",
  "events.js",
  "layout.js",
  "texels.js",
  "thumbnails.js",
  "stage.js",
  "picture_tools.js",
  "picture_facts.js",
  "pictures.js",
  "buffers.js",
  "primitives.js",
  "vertices.js",
  "mesh.js",
  "tree.js",
  "state.js",
  "history.js",
  "page.js",
] as const;

/** The page that shows a recording. */
export const VIEW_PAGE: PageFiles = {
  ...sharedFiles(""),
  "/": [HTML, FILES["index.html"]],
  "/page.css": [CSS, FILES["page.css"]],
  ...Object.fromEntries(SCRIPTS.map((name) => [`/${name}`, [JS, FILES[name]] as const])),
};
