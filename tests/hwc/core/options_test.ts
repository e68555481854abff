import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { createReferenceComposer, SurfaceFlinger } from "../../../hwc/mod.ts";
import { USAGE } from "../../../wsi/mod.ts";

Deno.test("createReferenceComposer() refuses options that make no sense, and says what to give", () => {
  const rows: [unknown, RegExp][] = [
    [5, /Cannot use 5 as the options of createReferenceComposer\(\): give an object/],
    [{ pannels: [] }, /option "pannels".*did you mean "panels"\?/],
    [{ panels: {} }, /option "panels".*give a list of panels/],
    [{ panels: [null] }, /at index 0, where null is/],
    [{ panels: [{ mode: [] }] }, /option "mode" of a panel, for there is none: did you mean "modes"\?/],
    [{ panels: [{ modes: [{ width: "1", height: 1, refreshRate: 60 }] }] }, /Cannot use "1" as option "width"/],
    [{ planes: 4 }, /option "planes".*fourPlane/],
    [{ clock: () => 5, compositor: {} }, /option "compositor".*give a function/],
    [{ maxLayers: "many" }, /option "maxLayers".*give a number/],
    [{ skipValidate: "no" }, /give true or false/],
    [{ virtualDisplays: { counts: 5 } }, /option "counts" of virtualDisplays.*did you mean "count"\?/],
  ];
  for (const [options, said] of rows) {
    assertMatch(assertThrows(() => createReferenceComposer(options as never), TypeError).message, said);
  }
});

Deno.test("SurfaceFlinger refuses options alike", () => {
  using composer = createReferenceComposer();
  const rows: [unknown, RegExp][] = [
    [{}, /option "composer" of SurfaceFlinger: give a composer/],
    [{ composer: "x" }, /give a composer/],
    [{ composer, renderer: 5 }, /give a backend/],
    [{ composer, powerOn: 1 }, /give true or false/],
    [{ composer, logs: () => {} }, /did you mean "log"\?/],
  ];
  for (const [options, said] of rows) {
    assertMatch(assertThrows(() => new SurfaceFlinger(options as never), TypeError).message, said);
  }
});

Deno.test("a layer's window takes the usage that its own options add to those of windows", () => {
  using composer = createReferenceComposer();
  using flinger = new SurfaceFlinger({ composer });
  const usage = USAGE.CPU_READ_OFTEN, layer = flinger.createLayer({ window: { width: 16, height: 8, usage } });
  assertEquals(layer.window?.statistics.queued, 0);
});
