import { assertEquals } from "@std/assert";
import { readCString } from "../../../ffi/cstring.ts";
import { Library } from "../../../ffi/library/library.ts";
import { peek64 } from "../../../ffi/machine.ts";
import { bindByAddress } from "../../../ffi/stubs.ts";
import { type AndroidWindow, androidWindow } from "../../../wsi/window/android_window.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";

/** The library with a window in it, and one that has only the functions nothing can stand in for. */
export const LIBRARIES = {
  whole: compileFixture("native_window"),
  bare: compileFixture("native_window", ["-DBARE"], "bare"),
};

/** Options for tests that need them. */
export const NEEDS_WINDOW: { ignore: boolean } = needs("C compiler (cc)", LIBRARIES.whole && LIBRARIES.bare);

/** A window made by C code, and what its functions were called with. */
export interface FixtureWindow {
  readonly real: AndroidWindow;
  /** The last call: its name, and that many of its arguments after the window. */
  last(count: number): (string | bigint)[];
  /** The last damage: how many rectangles, and the first one's left, top, right and bottom. */
  damage(): bigint[];
  /** Lets all functions return this from now on. */
  fail(status: number): void;
  /** References to the window (-1) or a buffer by its index. */
  references(index: number): number;
}

/** Runs with a fresh window. */
export function withWindow(library: keyof typeof LIBRARIES, run: (fixture: FixtureWindow) => void): void {
  const path = LIBRARIES[library]!;
  using own = Library.open(path);
  const call = (name: string, signature: string, ...args: (number | bigint)[]) =>
    bindByAddress(signature)(...args, own.require(name));
  const longs = (name: string, count: number) => {
    const at = call(name, "q:") as bigint;
    return Array.from({ length: count }, (_, index) => BigInt.asIntN(64, peek64(at + BigInt(8 * index))));
  };
  const address = call("fixture_window", "q:s", 0) as bigint;
  const real = androidWindow(address, { library: path, timeout: 100 });
  const references = (index: number) => call("fixture_references", "s:s", index) as number;
  run({
    real,
    last: (count) => [readCString(call("fixture_name", "q:") as bigint), ...longs("fixture_args", count)],
    damage: () => longs("fixture_damage", 5),
    fail: (status) => void call("fixture_fail", "v:s", status),
    references,
  });
  real.close();
  real.close();
  assertEquals([-1, 0, 1, 2, 3].map(references), [0, 0, 0, 0, 0], "references to the window and its buffers");
}
