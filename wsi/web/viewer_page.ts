import { type PageFiles, WINDOWS_PAGE } from "./page.ts";

/** What a viewer serves, and what it tells its pages beside the frames. */
export interface ViewerPage {
  /** The page. */
  readonly files: PageFiles;
  /** What there is to tell now, as JSON has it; asked for whenever a page is ready to hear it. */
  news?(): unknown;
  /** A page asks for something, by whatever JSON it sent. */
  ask?(request: unknown): void;
  /** A page came or went. */
  audience?(): void;
}

/** The page with nothing but windows. */
export const PLAIN: ViewerPage = { files: WINDOWS_PAGE };
