import { assertEquals } from "@std/assert";
import { createLookup } from "../../../ffi/functions/lookup.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { fixture, lasting, NEEDS_FIXTURE } from "../fixture.ts";

function ask(address: bigint, name: string | null): bigint {
  return invokeAddress(fixture("ask"), "q:qqq", [address, 77n, name === null ? 0n : lasting(name)]) as bigint;
}

function hashOf(name: string): bigint {
  return [...name].reduce((sum, letter) => BigInt.asUintN(64, sum * 31n + BigInt(letter.charCodeAt(0))), 77n);
}

Deno.test("createLookup() answers each name with its address", NEEDS_FIXTURE, () => {
  const names = Array.from({ length: 700 }, (_, index) => `vkCommand${index * 7}${index % 3 ? "KHR" : ""}`);
  const lookup = createLookup(names.map((name, index) => [name, BigInt(index + 1)] as const));
  assertEquals(names.map((name) => ask(lookup.address, name)), names.map((_, index) => BigInt(index + 1)));
  for (const other of ["", "vk", "vkCommand", "vkCommand0x", "vkCommand7KH", "vkCommand7KHRX"]) {
    assertEquals(ask(lookup.address, other), 0n);
  }
  assertEquals(ask(lookup.address, null), 0n);
  lookup.free();
});

Deno.test("createLookup() passes unknown names on with the handle in place", NEEDS_FIXTURE, () => {
  const lookup = createLookup([["vkKnown", 5n], ["vkHidden", 0n]], fixture("name_hash"));
  assertEquals(ask(lookup.address, "vkKnown"), 5n);
  assertEquals(ask(lookup.address, "vkHidden"), 0n);
  assertEquals(ask(lookup.address, "vkOther"), hashOf("vkOther"));
  lookup.free();
});

Deno.test("set() changes and adds names, far beyond the first size", NEEDS_FIXTURE, () => {
  const lookup = createLookup([["a", 1n]]);
  lookup.set("a", 2n);
  for (let index = 0; index < 300; index++) lookup.set(`name${index}`, BigInt(index));
  assertEquals(ask(lookup.address, "a"), 2n);
  for (const index of [1, 5, 77, 299]) assertEquals(ask(lookup.address, `name${index}`), BigInt(index));
  lookup.free();
});

Deno.test("set() is safe while another thread is asking", NEEDS_FIXTURE, () => {
  const lookup = createLookup([["name", 1n]]);
  invokeAddress(fixture("start_asking"), "v:qqqq", [lookup.address, lasting("name"), 1n, 2n]);
  for (let index = 0; index < 3000; index++) {
    lookup.set(`other${index}`, 5n);
    lookup.set("name", BigInt(1 + (index & 1)));
  }
  assertEquals(invokeAddress(fixture("stop_asking"), "q:", []), 0n);
  lookup.free();
});

Deno.test("close() sends every name to miss; free() lets the address be given again", NEEDS_FIXTURE, () => {
  const lookup = createLookup([["name", 1n]], fixture("name_hash"));
  lookup.close();
  lookup[Symbol.dispose]();
  lookup.set("name", 3n);
  assertEquals(ask(lookup.address, "name"), hashOf("name"));
  lookup.free();
  lookup.free();
  const again = createLookup([]);
  assertEquals(again.address, lookup.address);
  again.free();
});
