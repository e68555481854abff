import { assertEquals, assertThrows } from "@std/assert";
import { callbackConsumer } from "../../../wsi/consumer/frames.ts";
import { NativeWindow } from "../../../wsi/window/native_window.ts";
import { onBench } from "./leaves_nothing.ts";

Deno.test(
  "showOn() shows in a window what the panel shows, at its flips",
  onBench((bench) => {
    const { composer, display, clock } = bench, seen: [number[], bigint][] = [];
    using window = new NativeWindow({
      width: 32,
      height: 24,
      consumer: callbackConsumer((frame) => {
        seen.push([[...frame.pixels.subarray(0, 3)], frame.timestamp]);
      }),
    });
    const end = composer.showOn(display, window);
    assertThrows(() => composer.showOn(display, window), RangeError, "nobody uses");
    const layer = bench.layer(bench.buffer([10, 20, 30, 255]));
    bench.present().close();
    assertEquals(seen, []);
    bench.vsyncs();
    assertEquals(seen, [[[10, 20, 30], 1_016_666_667n]]);
    composer.setLayerBuffer(display, layer, bench.buffer([1, 2, 3, 255]), null);
    bench.present().close();
    bench.vsyncs();
    assertEquals(seen.at(-1)![0], [1, 2, 3]);
    end();
    bench.present().close();
    bench.vsyncs();
    assertEquals([seen.length, clock.now() > 0n], [2, true]);
  }),
);
