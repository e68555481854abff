/**
 * The common parts of the tests of the loader's words: a native program that
 * lists what its messengers hear, and what it should hear.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { needs } from "../../support/require.ts";
import { NEEDS_TINY } from "../tiny.ts";
import { compileClient } from "./client.ts";

/** The program; `undefined` without a compiler. */
export const app: string | undefined = compileClient("messages_app");
/** Options for tests that need the program and the tiny driver. */
export const COMPILED: { ignore: boolean } = {
  ignore: needs("Vulkan headers and a C compiler", app).ignore || NEEDS_TINY.ignore,
};
/** Severities of messengers. */
export const ERROR = 0x1000, WARNING = 0x100, INFO = 0x10, DEBUG = 1;

/** A message: how loud it is, what it says, and the older words of the system's loader if they are others. */
export type Message = readonly [severity: number, text: string, older?: string];

/** The variables by which there is nothing but what lies in a folder. */
export function only(folder: string): Record<string, string> {
  const nowhere = {
    HOME: "/proc/nowhere", // where no runtime can make folders of its own
    XDG_CONFIG_HOME: "/nowhere",
    XDG_CONFIG_DIRS: "/nowhere",
    XDG_DATA_DIRS: "/nowhere",
  };
  return { ...nowhere, XDG_DATA_HOME: folder, VK_DRIVER_FILES: `${folder}/drivers` };
}

/** Fails unless the program heard each message, that loud. */
export function assertHeard(lines: readonly string[], messages: readonly Message[], isOld = false): void {
  const missing = messages.filter(([severity, text, older = text]) =>
    !lines.includes(`utils ${severity.toString(16)} Loader Message: ${isOld ? older : text}`)
  );
  assertEquals(missing, []);
}
