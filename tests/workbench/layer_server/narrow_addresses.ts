/**
 * Serves the tests' program, given as the first argument, from memory where
 * programs with 39 bits of addresses have room, and prints what came of it.
 *
 * @module
 */
import { arenaMemory, placeArenaFor39Bits } from "../../../ffi/arena_memory.ts";
import { serveLayers } from "../../../workbench/layers.ts";
import { defineLayer } from "../../../loader/mod.ts";
import { runServed } from "./programs.ts";

const [program] = Deno.args;
const layer = defineLayer({
  name: "VK_LAYER_TEST_doubling",
  commands: {
    vkCreateBuffer(next, device, pCreateInfo, pAllocator, pBuffer) {
      const info = this.read("VkBufferCreateInfo", pCreateInfo);
      const wanted = this.write("VkBufferCreateInfo", { ...info, size: info.size * 2n });
      return next(device, wanted, pAllocator, pBuffer);
    },
  },
});
const place = { layers: [layer], listen: "tcp:127.0.0.1:0" } as const;
{
  await using server = await serveLayers({ ...place, runsOn: "aarch64-android" });
  const { base, buffer } = arenaMemory(), library = Deno.readFileSync(`${server.folder}/libVkLayer_pumice.so`);
  const view = new DataView(library.buffer), addresses: bigint[] = [];
  for (let at = 0; at + 8 <= library.length; at += 8) addresses.push(view.getBigUint64(at, true));
  const end = base + BigInt(buffer.byteLength);
  console.log(JSON.stringify({ end: Number(end), isNamed: addresses.includes(base) }));
}
placeArenaFor39Bits(); // nothing moves
await using server = await serveLayers(place);
console.log(JSON.stringify(await runServed(server, [program, "results", "3"])));
