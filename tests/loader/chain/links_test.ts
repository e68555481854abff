import "../../support/warm_loader.ts";
import { assertEquals } from "@std/assert";
import { arena } from "../../../ffi/arena.ts";
import { openBlocks } from "../../../ffi/block.ts";
import { peek32, peek64 } from "../../../ffi/machine.ts";
import type { ChainElement } from "../../../loader/chain/element.ts";
import { Links } from "../../../loader/chain/links.ts";
import { codec } from "../../../loader/codec/codec.ts";

const BELOW = { getInstanceProcAddr: 0x900n, getDeviceProcAddr: 0x901n };
const SET_LOADER_DATA = 0x777n;

function element(number: bigint): ChainElement {
  return { name: `layer ${number}`, getInstanceProcAddr: 0x100n + number, getDeviceProcAddr: 0x200n + number };
}

/** What a chain of two layers finds before the application's own pNext. */
function walk(sType: 47 | 48, infoName: string, next: bigint) {
  const memory = arena(), info = codec(infoName), at = memory.alloc(info.size);
  info.encodeOut(undefined, at);
  memory.view.setBigUint64(at + 8, next, true);
  const links = new Links(sType, [element(1n), element(2n)], BELOW, SET_LOADER_DATA);
  const copy = links.linked(memory.address(at), info.size);
  const callback = peek64(copy + 8n), link = peek64(callback + 8n);
  const nodes: bigint[] = [];
  for (let node = peek64(link + 24n); node !== 0n; node = peek64(node)) nodes.push(node);
  return { links, original: memory.view.getBigUint64(at + 8, true), callback, link, nodes };
}

Deno.test("Links puts callback and link structs before the application's chain, in a copy", () => {
  const memory = arena(), mark = memory.mark();
  for (const [sType, name] of [[47, "VkInstanceCreateInfo"], [48, "VkDeviceCreateInfo"]] as const) {
    const { links, original, callback, link } = walk(sType, name, 0xabcdn);
    assertEquals([peek32(callback), peek32(callback + 16n), peek64(callback + 24n)], [sType, 1, SET_LOADER_DATA]);
    assertEquals([peek32(link), peek32(link + 16n), peek64(link + 8n)], [sType, 0, 0xabcdn]);
    assertEquals(original, 0xabcdn);
    links.close();
  }
  memory.release(mark);
});

Deno.test("Links tells each layer what lies below it, the terminators at the end", () => {
  const memory = arena(), mark = memory.mark();
  const instance = walk(47, "VkInstanceCreateInfo", 0n), device = walk(48, "VkDeviceCreateInfo", 0n);
  assertEquals(instance.nodes.map((node) => [peek64(node + 8n), peek64(node + 16n)]), [[0x102n, 0n], [0x900n, 0n]]);
  assertEquals(device.nodes.map((node) => [peek64(node + 8n), peek64(node + 16n)]), [[0x102n, 0x202n], [
    0x900n,
    0x901n,
  ]]);
  instance.links.close();
  device.links.close();
  memory.release(mark);
});

Deno.test("Links.close() gives the memory back", () => {
  const before = openBlocks();
  new Links(47, [element(1n)], BELOW, SET_LOADER_DATA)[Symbol.dispose]();
  assertEquals(openBlocks(), before);
});
