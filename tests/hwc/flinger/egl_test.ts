import { assertEquals } from "@std/assert";
import { loadEgl } from "../../../egl/mod.ts";
import { createEglBackend } from "../../../hwc/backends/create.ts";
import { clientOnly } from "../../../hwc/planes/strategy.ts";
import { drivers } from "../../egl/drivers.ts";
import { needs } from "../../support/require.ts";
import { blank, BLUE, draw, flat, GREEN, reference, Stage } from "./stage.ts";

for (const driver of drivers) {
  Deno.test(`the client composes by OpenGL ES: ${driver.name}`, needs(driver.part, driver.found), () => {
    using egl = loadEgl({ driver: driver.open() });
    using renderer = createEglBackend(egl);
    using stage = new Stage({ strategy: clientOnly(), renderer }), glass = blank(20, 30);
    const app = stage.layer("app", [32, 24], BLUE);
    stage.layer("glass", [20, 30], [0, 100, 0, 128], { z: 1, position: { x: 5, y: -3 }, alpha: 0.7 });
    for (const color of [BLUE, GREEN, [9, 8, 7, 255]]) {
      draw(app.window!, color);
      stage.vsyncs(2);
      const displayFrame = { left: 5, top: -3, right: 25, bottom: 27 };
      using below = blank();
      const expected = reference([
        flat(below, color, 0),
        flat(glass, [0, 100, 0, 128], 1, { displayFrame, planeAlpha: 0.7 }),
      ]);
      assertEquals(stage.screen(), expected);
    }
    assertEquals([stage.said, stage.flinger.dump().includes("renderer egl")], [[], true]);
  });
}
