import { FILES } from "./gen/page_gen.js";

/** The type and the text of each file, by path. */
export type PageFiles = Readonly<Record<string, readonly [type: string, content: string]>>;

/** The content types of the files of pages. */
export const HTML = "text/html; charset=utf-8", CSS = "text/css; charset=utf-8", JS = "text/javascript; charset=utf-8";
const TEXT = "text/plain; charset=utf-8";

/** The files that all pages share, in a folder: colors, and the connection to the server. */
export function sharedFiles(folder: string): PageFiles {
  return { [`${folder}/base.css`]: [CSS, FILES["base.css"]], [`${folder}/live.js`]: [JS, FILES["live.js"]] };
}

/** The page that shows windows. */
export const WINDOWS_PAGE: PageFiles = {
  ...sharedFiles(""),
  "/": [HTML, FILES["index.html"]],
  "/page.css": [CSS, FILES["page.css"]],
  "/page.js": [JS, FILES["page.js"]],
};

const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** A response of a page's server: what it has can be read by the page alone, runs nothing and is kept nowhere. */
export function pageResponse(body: BodyInit, type: string, status: number = 200): Response {
  return new Response(body, { status, headers: { ...HEADERS, "content-type": type } });
}

/** The response for a path of a page: one of the page's files, or an error. */
export function servePage(files: PageFiles, pathname: string): Response {
  const file = Object.hasOwn(files, pathname) ? files[pathname] : undefined;
  return file === undefined ? pageResponse("Not found\n", TEXT, 404) : pageResponse(file[1], file[0]);
}

/** The page of a viewer, and the messages of the page besides frames. */
export interface ViewerPage {
  /** Returns the files of the page; called for each request, so that files may be loaded with the first one. */
  files(): Promise<PageFiles>;
  /** Returns the news as a JSON value; called whenever a page is ready for news. */
  news?(): unknown;
  /** Carries out a request of a page: any JSON value. */
  ask?(request: unknown): void;
  /** Called when a page has connected or disconnected. */
  audience?(): void;
}
