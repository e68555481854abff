import { CSS, HTML, JS, type PageFiles, sharedFiles } from "../../wsi/web/page.ts";
import css from "./page/page.css" with { type: "text" };
import display from "./page/display.js" with { type: "text" };
import html from "./page/index.html" with { type: "text" };
import js from "./page/page.js" with { type: "text" };
import outlines from "./page/outlines.js" with { type: "text" };
import timeline from "./page/timeline.js" with { type: "text" };

/** The page that shows displays: its scripts have their places in the repository, so that what they import is found in both. */
export const DISPLAYS_PAGE: PageFiles = {
  ...sharedFiles("/wsi/web/page"),
  "/": [HTML, html],
  "/hwc/viewer/page/page.css": [CSS, css],
  "/hwc/viewer/page/page.js": [JS, js],
  "/hwc/viewer/page/display.js": [JS, display],
  "/hwc/viewer/page/outlines.js": [JS, outlines],
  "/hwc/viewer/page/timeline.js": [JS, timeline],
};
