/** Displays of different refresh rates, each at its own pace. */
import { assert, assertEquals } from "@std/assert";
import type { SurfaceLayer } from "../../../hwc/flinger/layers/surface_layer.ts";
import { CpuWindow } from "../../../wsi/window/cpu_window.ts";
import { onStage, type Stage } from "./stage.ts";

const SIZE = { width: 16, height: 16 }, SECONDS = 2;

function television(stage: Stage, refreshRate: number): bigint {
  return stage.composer.plug({ name: "television", modes: [{ ...SIZE, refreshRate }] });
}

/** Draws into a layer whenever there is a buffer, each frame with the next number as its colour. */
function animation(layer: SurfaceLayer): () => void {
  const painter = new CpuWindow(layer.window!);
  let frame = 0;
  return () => void (painter.drawPixels((pixels) => pixels.fill((0xff000000 | frame) >>> 0)) && frame++);
}

/** Lets time pass, a millisecond at a time. Returns the frames a second of both panels. */
function run(stage: Stage, other: bigint, draw: () => void): [number, number] {
  const handles = [stage.handle(0), other], shown = () => handles.map((each) => stage.composer.statistics(each).shown);
  const [phone, second] = shown();
  for (let ms = 0; ms < 1000 * SECONDS; ms++) {
    stage.clock.advance(1_000_000n);
    draw();
  }
  const [phoneNow, secondNow] = shown();
  return [(phoneNow - phone) / SECONDS, (secondNow - second) / SECONDS];
}

for (const refreshRate of [10, 24, 60, 90, 120]) {
  Deno.test(
    `a phone keeps its pace beside a mirror of ${refreshRate} Hz`,
    onStage((stage) => {
      const other = television(stage, refreshRate);
      const draw = animation(stage.flinger.createLayer({ window: SIZE }));
      const [phone, mirror] = run(stage, other, draw);
      assert(phone >= 58 && phone <= 60.5, `${phone} frames a second on the phone`);
      const most = Math.min(60, refreshRate); // its pictures come at the phone's pace
      assert(mirror >= most * 0.9 && mirror <= most + 1, `${mirror} frames a second on the mirror`);
    }),
  );

  Deno.test(
    `a display of ${refreshRate} Hz with pictures of its own has its own pace, and so has the phone`,
    onStage((stage) => {
      const other = television(stage, refreshRate);
      stage.flinger.setLayerStack(1, 1);
      const draws = [0, 1].map((layerStack) => animation(stage.flinger.createLayer({ window: SIZE, layerStack })));
      const [phone, second] = run(stage, other, () => draws.forEach((draw) => draw()));
      assert(phone >= 58 && phone <= 60.5, `${phone} frames a second on the phone`);
      assert(second >= refreshRate * 0.9 && second <= refreshRate + 1, `${second} frames a second beside it`);
    }),
  );
}

Deno.test(
  "a display with a still picture is left alone while another one moves",
  onStage((stage) => {
    const other = television(stage, 10);
    stage.flinger.setLayerStack(1, 1);
    new CpuWindow(stage.flinger.createLayer({ window: SIZE, layerStack: 1 }).window!).drawPixels((all) => all.fill(1));
    const moving = stage.flinger.createLayer({ window: SIZE }), draw = animation(moving);
    for (let ms = 0; ms < 300; ms++) stage.clock.advance(1_000_000n);
    const { frames } = stage.flinger.displays[1];
    let y = 0;
    const [phone, still] = run(stage, other, () => {
      draw();
      moving.set({ position: { x: 0, y: y++ % 2 } });
    });
    assert(phone >= 58, `${phone} frames a second`);
    assertEquals([still, stage.flinger.displays[1].frames], [0, frames]);
  }),
);

Deno.test(
  "a slow mirror shows whole frames in order, each for a whole refresh, while the producer goes on",
  onStage((stage) => {
    const other = television(stage, 10);
    const draw = animation(stage.flinger.createLayer({ window: SIZE }));
    const changes: number[] = [];
    let before = 0;
    for (let ms = 1; ms <= 2000; ms++) {
      stage.clock.advance(1_000_000n);
      draw();
      const words = stage.screen(1, [SIZE.width, SIZE.height]);
      assertEquals(new Set(words).size, 1, "one frame at a time");
      const frame = words[0] & 0xffffff;
      if (frame === before) continue;
      assert(frame > before, `frame ${frame} after frame ${before}`);
      before = frame;
      changes.push(ms);
    }
    assertEquals(stage.composer.statistics(other).shown >= 18, true);
    const gaps = changes.slice(1).map((ms, at) => ms - changes[at]);
    assertEquals(gaps.filter((gap) => gap % 100 !== 0), [], "a picture changes at refreshes only");
  }),
);

Deno.test(
  "a mirror of one frame a second, for which vsyncs come, delays no new frame of the phone",
  onStage((stage) => {
    television(stage, 1);
    const layer = stage.flinger.createLayer({ window: SIZE }), painter = new CpuWindow(layer.window!);
    for (let frame = 1; frame < 30; frame++) {
      assertEquals(painter.drawPixels((pixels) => pixels.fill((0xff000000 | frame) >>> 0)), true);
      stage.vsyncs(3);
      assertEquals(stage.screen()[0] & 0xffffff, frame);
    }
  }),
);

Deno.test(
  "frames are not taken faster than by the phone, however fast a mirror is",
  onStage((stage) => {
    television(stage, 120);
    const layer = stage.flinger.createLayer({ window: SIZE });
    const draw = animation(layer);
    const { latched } = stage.flinger.statistics;
    for (let ms = 0; ms < 1000; ms++) {
      stage.clock.advance(1_000_000n);
      draw();
    }
    assert(stage.flinger.statistics.latched - latched <= 61, "an animation would run too fast");
  }),
);

Deno.test(
  "a layer whose parent is gone is shown on the displays of its own layer stack, frame by frame",
  onStage((stage) => {
    television(stage, 60);
    stage.flinger.setLayerStack(1, 1);
    const parent = stage.flinger.createLayer({});
    const child = stage.flinger.createLayer({ window: SIZE, parent, layerStack: 1 });
    const painter = new CpuWindow(child.window!),
      show = (word: number) => {
        painter.drawPixels((pixels) => pixels.fill(word));
        stage.vsyncs(3);
        return [0, 1].map((display) => stage.screen(display, [32, 24])[0]);
      };
    assertEquals(show(0xff0000ff), [0xff0000ff, 0xff000000]);
    parent.close();
    assertEquals(show(0xff00ff00), [0xff000000, 0xff00ff00]);
    assertEquals(show(0xffff0000), [0xff000000, 0xffff0000]);
  }),
);
