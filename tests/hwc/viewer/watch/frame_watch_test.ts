import { assertEquals } from "@std/assert";
import { eightPlane, onePlane } from "../../../../hwc/planes/models.ts";
import { clientOnly } from "../../../../hwc/planes/strategy.ts";
import { watchFrames } from "../../../../hwc/viewer/watch/frame_watch.ts";
import { draw, GREEN, onStage, RED, type Stage } from "../../flinger/stage.ts";

/** A stage's layers under a watch, with two vsyncs gone by. */
function watched(stage: Stage) {
  const { composer, flinger } = stage, seen: number[] = [];
  const below = stage.layer("below", [32, 24], RED), above = stage.layer("above", [8, 8], GREEN, { z: 1 });
  const watch = watchFrames({ composer, flinger, onFrame: (display) => seen.push(display) });
  stage.vsyncs(2);
  return { watch, seen, below, above };
}

Deno.test(
  "watchFrames() says of the frame on a panel who composes each layer, and why",
  onStage((stage) => {
    const { watch, seen, above } = watched(stage), { composer } = stage, handle = stage.handle();
    const [report] = watch.report();
    assertEquals([report.number, report.name, report.isPrimary, report.isOn], [0, "Panel 0", true, true]);
    assertEquals([report.width, report.height, Math.round(report.refreshRate)], [32, 24, 60]);
    const [top, bottom] = report.layers;
    assertEquals([top.name, top.plane, top.reason], ["above", "overlay1", "overlay1 shows it"]);
    assertEquals([bottom.name, bottom.frame], ["below", { left: 0, top: 0, right: 32, bottom: 24 }]);
    assertEquals(watch.layer(top.id), above);
    composer.setStrategy(handle, clientOnly("it is told to"));
    stage.vsyncs(2);
    const [{ layers: [{ plane, composition, reason }], gpuWork, totalWork }] = watch.report(0);
    assertEquals([plane, composition, reason], [null, "CLIENT", "the client composes it: it is told to"]);
    assertEquals([gpuWork, totalWork, seen], [32 * 24 + 64, 32 * 24 + 64, [0, 0]]);
    assertEquals(watch.report(4), []);
    watch.close();
    watch.close();
    stage.layer("later", [4, 4], RED);
    stage.vsyncs(2);
    assertEquals(seen.length, 2);
  }),
);

Deno.test(
  "watchFrames() knows layers that are hidden, moved as cursors, or gone from the client but not yet from the panel",
  onStage((stage) => {
    const { watch, below, above } = watched(stage);
    above.set({ isHidden: true });
    stage.vsyncs();
    assertEquals(watch.report()[0].layers.map(({ name, isHidden, plane }) => [name, isHidden, plane]), [
      ["above", true, "overlay1"], // still on the panel
      ["below", false, "overlay0"],
    ]);
    stage.vsyncs();
    const [{ layers }] = watch.report();
    assertEquals(layers.map(({ name, frame, reason }) => [name, frame === null, reason]), [
      ["below", false, "overlay0 shows it"],
      ["above", true, "it is hidden"],
    ]);
    const cursor = stage.layer("cursor", [8, 8], GREEN, { z: 5, isCursor: true });
    stage.composer.setPlanes(stage.handle(), eightPlane());
    stage.vsyncs(2);
    cursor.moveCursor(11, 7);
    stage.vsyncs();
    const moved = watch.report()[0].layers.find(({ name }) => name === "cursor")!;
    assertEquals(moved.frame, { left: 11, top: 7, right: 19, bottom: 15 });
    below.close();
    assertEquals(watch.report()[0].layers.at(-2)!.name, "below");
    watch.close();
  }),
);

Deno.test(
  "watchFrames() times what producers drew, and what the panel showed when",
  onStage((stage) => {
    const { watch, below } = watched(stage);
    draw(below.window!, GREEN);
    stage.vsyncs(2);
    stage.flinger.layers[1].set({ alpha: 0.5 });
    stage.vsyncs(2);
    const [{ frames, counts }] = watch.report();
    assertEquals(frames.map(({ number, acquired }) => [number, acquired.map(({ layer }) => layer)]), [
      [1, ["below", "above"]],
      [2, ["below"]],
      [3, []],
    ]);
    const waits = frames.map(({ presented, ready, shown }) => [ready - presented, Math.round(shown - presented)]);
    assertEquals(waits, [[0, 17], [0, 17], [0, 17]]);
    assertEquals([counts.presented, counts.shown, counts.overtaken, counts.clientFrames], [3, 3, 0, 0]);
    watch.close();
  }),
);

Deno.test(
  "setPlanes() puts other planes behind a panel, with the same picture",
  onStage((stage) => {
    const { watch } = watched(stage), before = stage.screen();
    stage.composer.setPlanes(stage.handle(), onePlane());
    stage.vsyncs(2);
    const [{ model, planes, layers }] = watch.report();
    assertEquals([model, planes], ["one-plane", [{ name: "primary", shows: "client target" }]]);
    assertEquals(layers.map(({ composition }) => composition), ["CLIENT", "CLIENT"]);
    assertEquals([stage.screen(), stage.composer.planes(stage.handle()).name], [before, "one-plane"]);
    watch.close();
  }),
);
