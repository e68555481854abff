import type { CommandApi } from "./features.ts";

/** The source of the addresses of a driver's functions. */
export interface EntrySource {
  /** Returns the address of a function from the libraries' exports or from eglGetProcAddress; 0n if there is none. */
  find(name: string, api: CommandApi): bigint;
  /** Returns the address of a function that the libraries export; 0n if there is none. */
  findExported(name: string, api: CommandApi): bigint;
  /**
   * The dynamic linker's handle of the library that {@linkcode EntrySource.findExported} searches, if it searches a
   * single library; whole tables are then filled in one native call.
   */
  handle?(api: CommandApi): bigint | undefined;
}
