import "../../support/warm.ts";
import { assertEquals } from "@std/assert";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { NativeWindow } from "../../../wsi/window/native_window.ts";

Deno.test("acquire() leaves a frame that is not drawn in the queue, where a newer one takes its place", () => {
  using window = new NativeWindow({ width: 4, height: 4 });
  window.apiConnect(2);
  window.setBufferCount(4);
  window.setSwapInterval(0);
  const { fence, signal } = NativeFence.create();
  for (const drawn of [fence, NativeFence.signaled()]) {
    const taken = window.dequeueBuffer();
    if (typeof taken === "number") throw new Error(`no buffer: status ${taken}`);
    taken.fence.close();
    window.queueBuffer(taken.buffer, drawn);
    const frame = window.frames.acquire({ onlyDrawn: true });
    assertEquals([frame?.number, window.frames.pending], drawn === fence ? [undefined, 1] : [2n, 0]);
    frame?.release();
  }
  signal();
});
