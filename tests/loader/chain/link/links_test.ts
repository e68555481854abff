import { assertEquals } from "@std/assert";
import { arena } from "../../../../ffi/arena.ts";
import { openBlocks } from "../../../../ffi/block.ts";
import { peek32, peek64, poke64 } from "../../../../ffi/machine.ts";
import type { ChainElement } from "../../../../loader/chain/element.ts";
import { Links } from "../../../../loader/chain/link/links.ts";
import { codec } from "../../../../loader/codec/codec.ts";

const BELOW = { getInstanceProcAddr: 0x900n, getDeviceProcAddr: 0x901n, getPhysicalDeviceProcAddr: 0x902n };
const CALLBACKS = { setLoaderData: 0x777n, createDevice: 0x778n, destroyDevice: 0x779n };
const KEY = 0x123n;

function element(number: bigint, physicalDevice = 0n): ChainElement {
  return {
    name: `layer ${number}`,
    getInstanceProcAddr: 0x100n + number,
    getDeviceProcAddr: 0x200n + number,
    getPhysicalDeviceProcAddr: physicalDevice,
  };
}

/** The structs that a chain of layers finds before the application's own pNext. */
function walk(sType: 47 | 48, infoName: string, next: bigint, elements = [element(1n), element(2n)]) {
  const memory = arena(), info = codec(infoName), at = memory.alloc(info.size);
  info.encodeOut(undefined, at);
  memory.view.setBigUint64(at + 8, next, true);
  const links = new Links(sType, elements, BELOW, CALLBACKS, KEY);
  const structs: bigint[] = [], nodes: bigint[] = [];
  const copy = links.linked(memory.address(at), info.size);
  for (let each = peek64(copy + 8n); each !== next; each = peek64(each + 8n)) structs.push(each);
  for (let node = peek64(structs.at(-1)! + 24n); node !== 0n; node = peek64(node)) nodes.push(node);
  return { links, original: memory.view.getBigUint64(at + 8, true), structs, nodes };
}

/** The two function pointers in each node. */
function pointers(nodes: readonly bigint[]): bigint[][] {
  return nodes.map((node) => [peek64(node + 8n), peek64(node + 16n)]);
}

Deno.test("Links puts the loader's structs before the application's chain, in order, in a copy", () => {
  const memory = arena(), mark = memory.mark();
  for (
    const [sType, name, functions] of [
      [47, "VkInstanceCreateInfo", [3, 2, 1, 0]],
      [48, "VkDeviceCreateInfo", [1, 0]],
    ] as const
  ) {
    const { links, original, structs } = walk(sType, name, 0xabcdn);
    assertEquals(
      structs.map((struct) => [peek32(struct), peek32(struct + 16n)]),
      functions.map((each) => [sType, each]),
    );
    assertEquals(peek64(structs.at(-2)! + 24n), CALLBACKS.setLoaderData);
    assertEquals(original, 0xabcdn);
    links.close();
  }
  memory.release(mark);
});

Deno.test("Links offers an instance's layers to make devices, and no features", () => {
  const memory = arena(), mark = memory.mark();
  const { links, structs: [features, createDevice] } = walk(47, "VkInstanceCreateInfo", 0xabcdn);
  assertEquals(peek32(features + 24n), 0);
  assertEquals([peek64(createDevice + 24n), peek64(createDevice + 32n)], [0x778n, 0x779n]);
  links.close();
  memory.release(mark);
});

Deno.test("Links tells each layer what lies below it, the terminators at the end", () => {
  const memory = arena(), mark = memory.mark();
  const instance = walk(47, "VkInstanceCreateInfo", 0n), device = walk(48, "VkDeviceCreateInfo", 0n);
  assertEquals(pointers(instance.nodes), [[0x102n, 0x902n], [0x900n, 0x902n]]);
  assertEquals(pointers(device.nodes), [[0x102n, 0x202n], [0x900n, 0x901n]]);
  instance.links.close();
  device.links.close();
  memory.release(mark);
});

Deno.test("Links points past layers without a lookup for physical-device commands", () => {
  const memory = arena(), mark = memory.mark();
  const elements = [element(1n, 0x301n), element(2n), element(3n, 0x303n), element(4n)];
  const { links, nodes } = walk(47, "VkInstanceCreateInfo", 0n, elements);
  assertEquals(pointers(nodes).map(([, physicalDevice]) => physicalDevice), [0x303n, 0x303n, 0x902n, 0x902n]);
  links.close();
  memory.release(mark);
});

Deno.test("Links has no link struct where there is no layer", () => {
  const memory = arena(), mark = memory.mark(), info = memory.alloc(72);
  memory.bytes.fill(0, info, info + 72);
  using links = new Links(48, [], BELOW, CALLBACKS);
  const only = peek64(links.linked(memory.address(info), 72) + 8n);
  assertEquals([peek32(only + 16n), peek64(only + 8n)], [1, 0n]);
  memory.release(mark);
});

Deno.test("Links.openOut() is where the handle comes back, a stand-in with the key before it does", () => {
  using links = new Links(47, [], BELOW, CALLBACKS, KEY);
  const out = links.openOut();
  assertEquals([peek64(out), peek64(links.standIn)], [links.standIn, KEY]);
  poke64(out, 0x4444n);
  assertEquals(links.handle, 0x4444n);
});

Deno.test("Links.close() gives the memory back", () => {
  const before = openBlocks();
  new Links(47, [element(1n)], BELOW, CALLBACKS)[Symbol.dispose]();
  assertEquals(openBlocks(), before);
});
