import base from "./page/base.css" with { type: "text" };
import css from "./page/page.css" with { type: "text" };
import html from "./page/index.html" with { type: "text" };
import live from "./page/live.js" with { type: "text" };
import js from "./page/page.js" with { type: "text" };

/** By path: the type of a file and its text. */
export type PageFiles = Readonly<Record<string, readonly [type: string, content: string]>>;

const HTML = "text/html; charset=utf-8", CSS = "text/css; charset=utf-8", JS = "text/javascript; charset=utf-8";
/** What all pages share: colours, and the connection to the server. */
const SHARED: PageFiles = { "/base.css": [CSS, base], "/live.js": [JS, live] };

/** The page that shows windows. */
export const WINDOWS_PAGE: PageFiles = pageOf(html, { css, js });

/** The files of a page of its own: its document, and what that asks for as `page.css` and `page.js`. */
export function pageOf(html: string, { css, js }: { readonly css: string; readonly js: string }): PageFiles {
  return { ...SHARED, "/": [HTML, html], "/page.css": [CSS, css], "/page.js": [JS, js] };
}

const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** The response for a path of a page: its files, and nothing else. */
export function servePage(files: PageFiles, pathname: string): Response {
  const file = Object.hasOwn(files, pathname) ? files[pathname] : undefined;
  if (file === undefined) return new Response("Not found\n", { status: 404, headers: HEADERS });
  return new Response(file[1], { headers: { ...HEADERS, "content-type": file[0] } });
}
