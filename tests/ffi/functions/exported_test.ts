import { assertEquals, assertThrows } from "@std/assert";
import { arena, inFrame } from "../../../ffi/arena.ts";
import { cstring } from "../../../ffi/cstring.ts";
import { NativeError } from "../../../ffi/error.ts";
import { exportLibrary } from "../../../ffi/functions/exported.ts";
import { Library, RTLD_NOLOAD, RTLD_NOW } from "../../../ffi/library/library.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { openFiles } from "../../support/open_files.ts";
import { fixture, NEEDS_FIXTURE } from "../fixture.ts";

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
    return invokeAddress(fixture("symbol_of"), "q:oo", [soname, symbol]) as bigint;
  };
  assertEquals(["near", "far", "slot"].map(find), ["near", "far", "slot"].map((name) => library.address(name)));
  assertEquals(find("other"), 0n);
  const address = memory.address(object);
  assertEquals(invokeAddress(find("near"), "q:qq", [address, 3n]), address + 6n);
  assertEquals(invokeAddress(find("far"), "q:qqqqqqq", [address, 1n, 1n, 1n, 1n, 1n, 1n]), address + 27n);
  assertEquals(invokeAddress(find("slot"), "q:q", [5n]), 6n);
  library.set("slot", fixture("two"));
  assertEquals(invokeAddress(find("slot"), "q:qq", [5n, 1n]), 7n);
  assertThrows(() => library.set("near", 1n), RangeError);
  assertThrows(() => library.address("other"), RangeError);
  memory.release(mark);
});

Deno.test("a nullable trampoline returns 0 for a first argument of NULL", NEEDS_FIXTURE, () => {
  const library = exportLibrary({ nullableTrampolines: [["near", 8], ["far", 8 * 5000]] })!;
  inFrame((memory) => {
    const table = memory.alloc(8 * 5001), object = memory.alloc(8);
    memory.view.setBigUint64(object, memory.address(table), true);
    for (const offset of [8, 8 * 5000]) memory.view.setBigUint64(table + offset, fixture("two"), true);
    for (const name of ["near", "far"]) {
      assertEquals(invokeAddress(library.address(name), "q:qq", [0n, 3n]), 0n);
      assertEquals(invokeAddress(library.address(name), "q:oq", [object, 3n]), memory.address(object) + 6n);
    }
  });
});

Deno.test("unload() takes a library away, unless native code holds it", NEEDS_FIXTURE, () => {
  const soname = "libpumice-passing.so", open = () => Library.open(soname, RTLD_NOW | RTLD_NOLOAD);
  const files = openFiles();
  const library = exportLibrary({ soname, slots: [["slot", fixture("one")]] })!;
  const held = open();
  assertEquals(library.unload(), false);
  assertEquals(library.reload(), true);
  assertEquals(library.unload(), false);
  library.set("slot", fixture("two"));
  assertEquals(invokeAddress(held.require("slot"), "q:qq", [5n, 1n]), 7n);
  held.close();
  assertThrows(open, NativeError);
  assertEquals(library.reload(), false);
  const second = exportLibrary({ soname })!;
  assertEquals(second.unload(), true);
  assertThrows(open, NativeError);
  assertEquals(openFiles(), files);
});
