import { assertEquals, assertThrows } from "@std/assert";
import { NativeError } from "../../../ffi/error.ts";
import { exportLibrary } from "../../../ffi/functions/exported.ts";
import { InstalledLibraries, type InstalledLibrary } from "../../../ffi/functions/installed.ts";
import { Library } from "../../../ffi/library/library.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { openFiles } from "../../support/open_files.ts";
import { fixture, NEEDS_FIXTURE } from "../fixture.ts";

/** A library with one command, `double`, whose target is installed. */
function wanted(soname: string, more: Partial<InstalledLibrary> = {}): InstalledLibrary {
  return { soname, commands: ["double"], make: () => exportLibrary({ soname, slots: [["double", 0n]] }), ...more };
}

function libraries(): InstalledLibraries {
  return new InstalledLibraries({ name: "Test", refusal: () => fixture("seven") });
}

const one = () => fixture("one"), two = () => fixture("two");
const FIRST = "libpumice-installed.so.1", SECOND = "libpumice-installed.so";

function isLoaded(soname: string): boolean {
  using found = Library.loaded(soname);
  return found !== undefined;
}

Deno.test("connect() lets native code find commands, and its result takes them away", NEEDS_FIXTURE, () => {
  const installed = libraries(), files = openFiles();
  assertEquals([installed.isConnected, installed.library(FIRST)], [false, undefined]);
  const disconnect = installed.connect([wanted(FIRST), wanted(SECOND)], one, "");
  for (const soname of [FIRST, SECOND]) {
    using found = Library.loaded(soname)!;
    assertEquals(found.require("double"), installed.library(soname)!.address("double"));
    assertEquals(invokeAddress(found.require("double"), "q:q", [5n]), 6n);
  }
  assertEquals(installed.isConnected, true);
  disconnect();
  assertEquals([installed.isConnected, isLoaded(FIRST), isLoaded(SECOND), openFiles()], [false, false, false, files]);
});

Deno.test("a library that native code holds refuses until the next installation uses it again", NEEDS_FIXTURE, () => {
  const installed = libraries(), disconnect = installed.connect([wanted(FIRST)], one, "");
  const held = Library.loaded(FIRST)!, double = held.require("double");
  disconnect();
  assertEquals(invokeAddress(double, "q:qqqqqqq", [20n, 1n, 1n, 1n, 1n, 1n, 1n]), 47n);
  const again = installed.connect([wanted(FIRST, { make: () => undefined })], two, "");
  assertEquals(invokeAddress(double, "q:qq", [5n, 3n]), 11n);
  held.close();
  again();
  assertEquals([isLoaded(FIRST), installed.library(FIRST)], [false, undefined]);
});

Deno.test("connect() refuses during another installation, and leaves it as it is", NEEDS_FIXTURE, () => {
  const installed = libraries(), disconnect = installed.connect([wanted(FIRST)], one, "");
  const error = assertThrows(() => installed.connect([wanted(FIRST)], two, ""), NativeError);
  assertEquals([error.code, installed.isConnected], ["already-loaded", true]);
  assertEquals(error.message, "Cannot install a second Test loader: call uninstall() on the first one");
  assertEquals(invokeAddress(installed.library(FIRST)!.address("double"), "q:q", [5n]), 6n);
  disconnect();
});

Deno.test("connect() makes nothing if a name is taken, and says by whom", NEEDS_FIXTURE, () => {
  const made: string[] = [];
  const make = (soname: string) => wanted(soname, { make: () => (made.push(soname), undefined) });
  const taken = { ...make("libc.so.6"), commands: ["malloc"] };
  const error = assertThrows(() => libraries().connect([make(FIRST), taken], one, "load us first"), NativeError);
  assertEquals([error.code, made], ["already-loaded", []]);
  assertEquals(
    error.message,
    `Cannot install the Test loader as "libc.so.6": this process has loaded "${error.path}" already; load us first`,
  );
  assertEquals(error.path!.split("/").at(-1), "libc.so.6");
});

Deno.test("connect() tells a library of another part of this process from the system's", NEEDS_FIXTURE, () => {
  const others = libraries(), disconnect = others.connect([wanted(FIRST)], one, "");
  assertThrows(
    () => libraries().connect([wanted(FIRST)], one, ""),
    NativeError,
    `Cannot install the Test loader as "${FIRST}": another part of this process, such as a Worker, has installed one; ` +
      "call its uninstall() first, or use it",
  );
  const installed = libraries(), left = installed.connect([wanted(FIRST, { isOptional: true })], one, "");
  assertEquals(installed.library(FIRST), undefined);
  left();
  disconnect();
});

Deno.test("connect() takes everything back where a library cannot be made", NEEDS_FIXTURE, () => {
  const installed = libraries(), missing = wanted(SECOND, { make: () => undefined });
  const error = assertThrows(() => installed.connect([wanted(FIRST), missing], one, ""), NativeError);
  assertEquals([error.code, installed.isConnected, isLoaded(FIRST)], ["unsupported", false, false]);
  assertEquals(error.message.split(";")[0], "Cannot install the Test loader: emitted code cannot be used here");
});
