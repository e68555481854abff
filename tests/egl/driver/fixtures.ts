/**
 * Drivers of the C fixtures, and file trees with them.
 *
 * @module
 */
import { type EglDriverOptions, type EglSelection, findEglDriver } from "../../../egl/mod.ts";
import { invokeAddress } from "../../../ffi/invoke.ts";
import { Library } from "../../../ffi/library/library.ts";
import { readCString } from "../../../ffi/cstring.ts";
import type { Finding } from "../../../loader/driver/report/finding.ts";
import { DriverError } from "../../../loader/error.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { fakeHost } from "../../loader/driver/fake_host.ts";
import { withRoot } from "../../loader/driver/android/root.ts";

function library(variant: string, ...flags: string[]): string {
  return compileFixture("egl_driver", flags.map((flag) => `-D${flag}`), variant) ?? "";
}

/** Libraries by what they have; `""` without a compiler. */
export const EGL = library("egl", "EGL"), GLES1 = library("gles1", "GLES1"), GLES2 = library("gles2", "GLES2");
/** A driver of one binary. */
export const ONE = library("one", "EGL", "GLES1", "GLES2");
/** ANGLE by its export. */
export const ANGLE_GLES2 = library("angle_gles2", "GLES2", "ANGLE");
/** A library without a function of anybody's, as newer Chromium has. */
export const EMPTY = library("empty");

/** A vendor library of libglvnd's. */
export function vendor(...flags: string[]): string {
  const name = flags.join("_").toLowerCase() || "plain";
  return compileFixture("egl_vendor", flags.map((flag) => `-D${flag}`), name) ?? "";
}

/** Tests that need a C compiler. */
export const NEEDS_COMPILER = needs("a C compiler", EGL !== "");

/** The result of a search. */
export interface Found {
  /** The EGL library's path without the tree's folder; `""` when the search failed. */
  readonly driver: string;
  /** The step that found it. */
  readonly source: string;
  /** The files that were looked at. */
  readonly findings: readonly Finding[];
  /** The error's message without the tree's folder, `""` without one. */
  readonly message: string;
}

/** Searches a file tree as Android does, and closes what was found. */
export function findIn(
  files: Readonly<Record<string, string>>,
  properties: Record<string, string> = {},
  options: EglDriverOptions = {},
  use?: (found: EglSelection) => void,
): Found {
  return withRoot(files, (root) => {
    const host = fakeHost({ system: "android" });
    return search({ platform: "android", root, systemProperties: properties, host, ...options }, root, use);
  });
}

/** Searches, and closes what was found; paths are given without `root`. */
export function search(options: EglDriverOptions, root = "", use?: (found: EglSelection) => void): Found {
  const short = (text: string) => root === "" ? text : text.replaceAll(root, "");
  try {
    using found = findEglDriver(options);
    use?.(found);
    return { driver: short(found.driver.path), source: found.source, findings: found.findings, message: "" };
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
    return { driver: "", source: "", findings: error.findings, message: short(error.message) };
  }
}

/** The paths looked at that were taken or not, in order. */
export function pathsOf(findings: readonly Finding[], root: RegExp, taken = false): string[] {
  return findings.filter((each) => each.subject === "driver" && each.taken === taken)
    .map(({ path }) => path.replace(root, ""));
}

/** Calls a `uint32_t (uint32_t)` or without an argument. */
export function call(address: bigint, ...args: number[]): number {
  return invokeAddress(address, `w:${"w".repeat(args.length)}`, args) as number;
}

/** Calls a `const char *(void *, int32_t)`. */
export function text(address: bigint): string {
  return readCString(invokeAddress(address, "q:qs", [0n, 0]) as bigint);
}

/** A library that is loaded already, for what it has besides a driver's functions. */
export function openAgain(path: string): Library {
  return Library.open(path);
}
