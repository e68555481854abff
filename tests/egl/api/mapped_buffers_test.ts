import { assertEquals } from "@std/assert";
import { MappedBuffers } from "../../../egl/api/mapped_buffers.ts";

Deno.test("MappedBuffers empties a view when its buffer is mapped again, unmapped, or gone with the last context", () => {
  const buffers = new MappedBuffers(), views = Array.from({ length: 4 }, () => new ArrayBuffer(8));
  const sizes = () => views.map(({ byteLength }) => byteLength);
  buffers.begin(1, views[0]);
  buffers.begin(1, views[1]);
  assertEquals([sizes(), buffers.has(1)], [[0, 8, 8, 8], true]);
  buffers.end(1);
  assertEquals([sizes(), buffers.has(1), buffers.isEmpty], [[0, 0, 8, 8], false, true]);
  const shared = buffers.share();
  buffers.begin(2, views[2]);
  buffers.begin(3, views[3]);
  shared.leave();
  assertEquals(sizes(), [0, 0, 8, 8]);
  buffers.leave();
  assertEquals([sizes(), buffers.isEmpty], [[0, 0, 0, 0], true]);
});
