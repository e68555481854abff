import { assertEquals } from "@std/assert";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { NativeWindow } from "../../../wsi/window/native_window.ts";
import "../../support/warm.ts";
import { leavesNothing } from "../leaves_nothing.ts";
import { dequeue, taker } from "./taker.ts";

Deno.test("NativeWindow hands frames to its consumer in order, and leaves nothing behind", () =>
  leavesNothing(() => {
    const consumer = taker();
    using native = new NativeWindow({ width: 64, height: 32, consumer });
    assertEquals(native.apiConnect(1), 0);
    assertEquals(native.setBufferCount(3), 0);
    for (let frame = 0; frame < 5; frame++) {
      const { buffer, fence } = dequeue(native);
      fence.close();
      assertEquals([buffer.width, buffer.height], [64, 32]);
      assertEquals(native.queueBuffer(buffer, NativeFence.signaled()), 0);
    }
    assertEquals(consumer.seen.map(({ number }) => number), [1n, 2n, 3n, 4n, 5n]);
    const counts = { queued: 5, acquired: 5, released: 5, dropped: 0, cancelled: 0, copies: 0 };
    assertEquals(native.statistics, counts);
  }));
