import "../support/warm.ts";
import { assertEquals, assertThrows } from "@std/assert";
import { arena } from "../../ffi/arena.ts";
import { cstring } from "../../ffi/cstring.ts";
import { exportLibrary } from "../../ffi/exported.ts";
import { invoke } from "../../ffi/machine.ts";
import { fixture, NEEDS_FIXTURE } from "./fixture.ts";

Deno.test("exportLibrary() makes a library that native code opens by its soname", NEEDS_FIXTURE, () => {
  const far = 8 * 5000;
  const library = exportLibrary({
    soname: "libpumice-test.so.1",
    trampolines: [["near", 8], ["far", far]],
    slots: [["slot", fixture("one")]],
  })!;
  const memory = arena(), mark = memory.mark();
  const table = memory.alloc(far + 8), object = memory.alloc(8), soname = memory.alloc(32), symbol = memory.alloc(32);
  memory.view.setBigUint64(object, memory.address(table), true);
  memory.view.setBigUint64(table + 8, fixture("two"), true);
  memory.view.setBigUint64(table + far, fixture("seven"), true);
  memory.bytes.set(cstring("libpumice-test.so.1"), soname);
  const find = (name: string): bigint => {
    memory.bytes.set(cstring(name), symbol);
    return invoke(fixture("symbol_of"), "q:oo", [soname, symbol]) as bigint;
  };
  assertEquals(["near", "far", "slot"].map(find), ["near", "far", "slot"].map((name) => library.address(name)));
  assertEquals(find("other"), 0n);
  const address = memory.address(object);
  assertEquals(invoke(find("near"), "q:qq", [address, 3n]), address + 6n);
  assertEquals(invoke(find("far"), "q:qqqqqqq", [address, 1n, 1n, 1n, 1n, 1n, 1n]), address + 27n);
  assertEquals(invoke(find("slot"), "q:q", [5n]), 6n);
  library.set("slot", fixture("two"));
  assertEquals(invoke(find("slot"), "q:qq", [5n, 1n]), 7n);
  assertThrows(() => library.set("near", 1n), RangeError);
  assertThrows(() => library.address("other"), RangeError);
  memory.release(mark);
});
