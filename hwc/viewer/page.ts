import { CSS, HTML, JS, type PageFiles, sharedFiles } from "../../wsi/web/page.ts";
import { FILES } from "./gen/page_gen.js";

/** The page that shows displays: its scripts have their places in the repository, so that what they import is found in both. */
export const DISPLAYS_PAGE: PageFiles = {
  ...sharedFiles("/wsi/web/page"),
  "/": [HTML, FILES["index.html"]],
  "/hwc/viewer/page/page.css": [CSS, FILES["page.css"]],
  "/hwc/viewer/page/page.js": [JS, FILES["page.js"]],
  "/hwc/viewer/page/display.js": [JS, FILES["display.js"]],
  "/hwc/viewer/page/outlines.js": [JS, FILES["outlines.js"]],
  "/hwc/viewer/page/timeline.js": [JS, FILES["timeline.js"]],
};
