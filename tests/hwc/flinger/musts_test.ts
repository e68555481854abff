/** The client's side of what every device must be able to show: nothing of it is given up on the way to the composer. */
import { assertEquals } from "@std/assert";
import { eightPlane } from "../../../hwc/planes/models.ts";
import { clientOnly } from "../../../hwc/planes/strategy.ts";
import { COMPOSITION, FORMAT } from "../../../hwc/types.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import type { FrameSource } from "../../../wsi/contract/frame_consumer.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { NativeWindow } from "../../../wsi/window/native_window.ts";
import { memoryOf } from "../backends/canvas.ts";
import { BLUE, draw, GREEN, onStage, RED, type Stage, WIDTH, words } from "./stage.ts";

function compositions({ flinger }: Stage): number[] {
  return flinger.displays[0].layers.map(({ composition }) => composition);
}

const { CLIENT, DEVICE } = COMPOSITION;

Deno.test(
  "S44 S3 S4 S5 the client hands status bar, system bar, application and a larger wallpaper to overlays, alpha and all",
  onStage((stage) => {
    stage.layer("wallpaper", [64, 48], BLUE, { crop: { left: 20, top: 9, right: 52, bottom: 33 } });
    stage.layer("application", [32, 24], [0, 100, 0, 128], { z: 1 });
    stage.layer("status bar", [32, 2], RED, { z: 2 });
    stage.layer("system bar", [32, 3], [128, 0, 0, 128], { z: 3, position: { x: 0, y: 21 }, alpha: 0.5 });
    stage.vsyncs(3);
    assertEquals([compositions(stage), stage.flinger.displays[0].clientFrames], [[DEVICE, DEVICE, DEVICE, DEVICE], 0]);
    assertEquals([stage.pixel(3, 10), stage.pixel(3, 1)], [[0, 100, 127], [255, 0, 0]]);
    // Half of the bar's colour over three quarters of what is below: 100 and 127 times 191/255.
    assertEquals(stage.pixel(3, 22), [64, 75, 95]);
  }),
);

for (
  const [name, options, composition] of [["a plane", {}, DEVICE], [
    "the client",
    { strategy: clientOnly() },
    CLIENT,
  ]] as const
) {
  Deno.test(
    `S44 S6 secure content is shown on the panel by ${name}, and black wherever it could be read`,
    onStage((stage) => {
      stage.layer("video", [32, 24], GREEN, { isSecure: true });
      stage.vsyncs(3);
      using captured = stage.flinger.capture(0);
      assertEquals([compositions(stage), stage.pixel(1, 1), words(captured)[0]], [
        [composition],
        [0, 255, 0],
        0xff000000,
      ]);
    }, options),
  );
}

Deno.test(
  "S44 S7 the client hands over RGBA in all packing orders and YUV, in buffers whose rows have space between them",
  onStage((stage) => {
    const { RGBA_8888, RGBX_8888, BGRA_8888, RGB_565, YCBCR_420_888, YCRCB_420_SP, YV12 } = FORMAT;
    for (const format of [RGBA_8888, RGBX_8888, BGRA_8888, RGB_565, YCBCR_420_888, YCRCB_420_SP, YV12]) {
      const layer = stage.flinger.createLayer({ window: { width: 30, height: 22, defaultFormat: format } }),
        window = layer.window!;
      window.apiConnect(2);
      const taken = window.dequeueBuffer();
      if (typeof taken === "number") throw new Error(`no buffer: status ${taken}`);
      taken.fence.close();
      const view = memoryOf(taken.buffer); // white, in RGB and, nearly, in YUV
      for (let at = 0; at < view.byteLength; at++) view.setUint8(at, at < 22 * taken.buffer.rowPitch ? 255 : 128);
      window.queueBuffer(taken.buffer, NativeFence.signaled());
      stage.vsyncs(3);
      assertEquals([compositions(stage), stage.pixel(5, 5)], [[DEVICE], [255, 255, 255]], `format ${format}`);
      layer.close();
      stage.vsyncs(3);
    }
    assertEquals(stage.said, []);
  }, { planes: eightPlane() }),
);

for (const [name, usage, counts] of [["an encoder", USAGE.VIDEO_ENCODER, [4, 4]], ["a reader", 0n, [1, 0]]] as const) {
  Deno.test(
    `S34 ${name} of a virtual display gets ${usage ? "every frame" : "no frame in which nothing changed"}`,
    onStage((stage) => {
      let frames = 0;
      const onFrame = (source: FrameSource) => {
        for (let frame = source.acquire(); frame; frame = source.acquire()) {
          frames++;
          frame.release();
        }
      };
      const consumer = { usage: usage | USAGE.CPU_READ_OFTEN, attach() {}, onFrame };
      using window = new NativeWindow({ width: WIDTH, height: 24, consumer });
      const display = stage.flinger.createVirtualDisplay({ window, layerStack: 1, usesComposer: usage === 0n });
      const layer = stage.layer("app", [32, 24], RED);
      stage.layer("film", [32, 24], BLUE, { layerStack: 1 });
      stage.vsyncs(3);
      frames = 0;
      for (const color of [GREEN, BLUE, RED, GREEN]) {
        draw(layer.window!, color);
        stage.vsyncs(2);
      }
      assertEquals(frames, counts[1]);
      stage.flinger.setLayerStack(display, 0);
      stage.vsyncs(2);
      assertEquals(frames, counts[1] + 1);
      stage.flinger.close();
    }, { release: 9 }),
  );
}
