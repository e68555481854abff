import { assertEquals } from "@std/assert";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { NativeWindow } from "../../../wsi/window/native_window.ts";

Deno.test("acquire() leaves a frame that is not drawn in the queue, where a newer one takes its place", () => {
  using native = new NativeWindow({ width: 4, height: 4 });
  native.apiConnect(2);
  native.setBufferCount(4);
  native.setSwapInterval(0);
  const { fence, signal } = NativeFence.create();
  for (const drawn of [fence, NativeFence.signaled()]) {
    const taken = native.dequeueBuffer();
    if (typeof taken === "number") throw new Error(`no buffer: status ${taken}`);
    taken.fence.close();
    native.queueBuffer(taken.buffer, drawn);
    const frame = native.frames.acquire({ onlyDrawn: true });
    assertEquals([frame?.number, native.frames.pending], drawn === fence ? [undefined, 1] : [2n, 0]);
    frame?.release();
  }
  signal();
});
