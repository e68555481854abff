import type { CommandApi } from "./features.ts";

/** Where the addresses of a driver's functions come from. */
export interface EntrySource {
  /** The address of a function as the libraries export it or eglGetProcAddress gives it; 0n if there is none. */
  find(name: string, api: CommandApi): bigint;
  /** The address of a function the libraries export; 0n if there is none. */
  findExported(name: string, api: CommandApi): bigint;
  /** The dynamic linker's handle of the library that {@linkcode EntrySource.findExported} looks in, where it is as simple as that: tables are then filled in one native call. */
  handle?(api: CommandApi): bigint | undefined;
}
