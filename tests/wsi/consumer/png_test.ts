import { assertEquals, assertThrows } from "@std/assert";
import { decode } from "fast-png";
import { WsiError } from "../../../wsi/error.ts";
import { pngConsumer } from "../../../wsi/consumer/png.ts";
import { readPng } from "../../support/image.ts";
import { withFolder } from "../../support/temporary.ts";
import { bufferOf, FakeSource, paint } from "./fake_source.ts";

/** Red grows to the right, green downwards. */
const gradient = (x: number, y: number) => (0xff000000 | 0x80 << 16 | (16 * y) << 8 | (10 * x)) >>> 0;

function names(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map((entry) => entry.name).sort();
}

Deno.test("pngConsumer() writes the pixels of padded buffers to numbered files in folders it makes", () =>
  withFolder((folder) => {
    const consumer = pngConsumer(`${folder}/a/b/frame-%03d.png`);
    using source = new FakeSource(consumer);
    using buffer = paint(bufferOf(1, 21, 7, 32), gradient);
    source.queue(buffer);
    source.queue(buffer, { transform: 4 });
    assertEquals([consumer.written, source.released, names(`${folder}/a/b`)], [2, [1, 2], [
      "frame-001.png",
      "frame-002.png",
    ]]);
    const { width, height, data } = readPng(`${folder}/a/b/frame-001.png`);
    assertEquals([width, height, [...data.subarray(4 * (3 * 21 + 20), 4 * (4 * 21))]], [21, 7, [200, 48, 128, 255]]);
    const turned = readPng(`${folder}/a/b/frame-002.png`);
    assertEquals([turned.width, turned.height, [...turned.data.subarray(0, 4)]], [7, 21, [0, 96, 128, 255]]);
  }));

Deno.test("pngConsumer() takes a folder, one path, a function or a sink", () =>
  withFolder((folder) => {
    using buffer = paint(bufferOf(1, 4, 4), gradient);
    const sunk: [number, number][] = [];
    const cases = [
      pngConsumer(`${folder}/x/`),
      pngConsumer(`${folder}/one.png`),
      pngConsumer((number) => `${folder}/f${number}.png`),
      pngConsumer({ sink: (bytes, number) => sunk.push([decode(bytes).data.length, number]) }),
    ];
    for (const consumer of cases) {
      using source = new FakeSource(consumer);
      source.queue(buffer);
      source.queue(buffer);
      assertEquals(consumer.written, 2);
    }
    assertEquals(names(`${folder}/x`), ["frame-0001.png", "frame-0002.png"]);
    assertEquals([names(folder), sunk], [["f1.png", "f2.png", "one.png", "x"], [[64, 1], [64, 2]]]);
  }));

Deno.test("pngConsumer() keeps every third frame, and not more than asked for", () => {
  const kept: number[] = [];
  const consumer = pngConsumer({ sink: (_, number) => kept.push(number), every: 3, limit: 2 });
  using source = new FakeSource(consumer);
  using buffer = bufferOf(1, 4, 4);
  for (let frame = 0; frame < 12; frame++) source.queue(buffer);
  assertEquals([kept, consumer.written, consumer.shown, source.released.length], [[1, 4], 2, 12, 12]);
});

Deno.test("pngConsumer() writes 16 bits of a channel where the format has more than 8", () => {
  const files: Uint8Array[] = [], sink = (bytes: Uint8Array) => files.push(bytes);
  for (const depth of [8, 16] as const) {
    using source = new FakeSource(pngConsumer({ sink, bitDepth: depth }));
    using eight = paint(bufferOf(1, 1, 1), () => 0xff332211);
    using ten = paint(bufferOf(0x2b, 1, 1), () => 0xc0000000 + 512); // red 512 of 1023
    source.queue(eight);
    source.queue(ten);
  }
  const pictures = files.map((file) => decode(file)).map(({ depth, data }) => [depth, ...data]);
  const eight = [8, 0x11, 0x22, 0x33, 255];
  assertEquals(pictures, [eight, [8, 128, 0, 0, 255], eight, [16, 32800, 0, 0, 65535]]);
});

Deno.test("pngConsumer() says which file it cannot write, and gives the frame back", () => {
  using source = new FakeSource(pngConsumer("/proc/nothing/here-%d.png"));
  using buffer = bufferOf(1, 4, 4);
  const error = assertThrows(() => source.queue(buffer), WsiError, 'Cannot write "/proc/nothing/here-1.png": ');
  assertEquals([error.code, source.released], ["write-failed", [1]]);
});

Deno.test("pngConsumer() refuses an empty path", () => {
  assertThrows(() => pngConsumer({}), TypeError, "give a pattern such as");
  assertThrows(() => pngConsumer(""), TypeError, "give a pattern such as");
  assertThrows(() => pngConsumer({ pattern: "a", every: 0 }), RangeError, "Cannot keep every 0th frame");
});
