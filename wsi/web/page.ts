import css from "./page/page.css" with { type: "text" };
import html from "./page/index.html" with { type: "text" };
import js from "./page/page.js" with { type: "text" };

const FILES: Readonly<Record<string, readonly [type: string, content: string]>> = {
  "/": ["text/html; charset=utf-8", html],
  "/page.css": ["text/css; charset=utf-8", css],
  "/page.js": ["text/javascript; charset=utf-8", js],
};
const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** The response for a path of the page: its three files, and nothing else. */
export function servePage(pathname: string): Response {
  const file = Object.hasOwn(FILES, pathname) ? FILES[pathname] : undefined;
  if (file === undefined) return new Response("Not found\n", { status: 404, headers: HEADERS });
  return new Response(file[1], { headers: { ...HEADERS, "content-type": file[0] } });
}
