import { assert, assertEquals } from "@std/assert";
import { openBlocks } from "../../../ffi/block.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { openFiles } from "../../support/open_files.ts";
import { RemoteBench } from "./bench.ts";
import { FarServer } from "./far_server.ts";

const FRAMES = 1000, LAYERS = 3;
/** Bytes that either process may grow by: collections come when they want. */
const GROWTH = 48 << 20;

Deno.test("a thousand frames of new fences, and buffers that come and go, leave neither process larger", async () => {
  const server = new FarServer();
  {
    await using bench = new RemoteBench(server);
    const { composer, display } = bench, layers = Array.from({ length: LAYERS }, () => bench.layer());
    const rings: GraphicBuffer[][] = layers.map(() => []);
    let owed: NativeFence[] = [];
    const frame = (number: number) => {
      layers.forEach((layer, index) => {
        const ring = rings[index], acquire = NativeFence.create();
        if (number % 50 === 0) ring.splice(0).forEach((buffer) => buffer.close());
        const buffer = ring[number % 3] ??= bench.buffer([number & 255, index, 0, 255], 16, 16);
        composer.setLayerBuffer(display, layer, buffer, acquire.fence);
        acquire.signal();
      });
      owed.push(bench.present());
      for (const { fence } of composer.getReleaseFences(display)) owed.push(fence);
      bench.vsyncs();
      owed = owed.filter((fence) => !fence.poll());
    };
    const settled = async () => {
      while (owed.length > 0) {
        bench.vsyncs();
        owed = owed.filter((fence) => !fence.poll());
        await new Promise((done) => setTimeout(done, 1));
      }
      composer.flush();
    };
    for (let number = 0; number < 100; number++) frame(number);
    await settled();
    const files = openFiles(), blocks = openBlocks(), there = server.call("open"), memory = memoryOf(server);
    for (let number = 0; number < FRAMES; number++) frame(number);
    await settled();
    assert(openFiles() <= files, `${openFiles()} files are open, ${files} were`);
    assertEquals([openBlocks(), server.call("open")], [blocks, there]);
    memoryOf(server).forEach((bytes, index) => {
      assert(bytes - memory[index] < GROWTH, `process ${index} grew by ${(bytes - memory[index]) >> 20} MiB`);
    });
    rings.flat().forEach((buffer) => buffer.close());
  }
  await server.close();
});

/** Bytes of this process, and of the server's. */
function memoryOf(server: FarServer): number[] {
  return [Deno.memoryUsage().rss, server.call("memory") as number];
}
