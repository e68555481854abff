import { assertEquals } from "@std/assert";
import { SurfaceFlinger } from "../../../hwc/flinger/surface_flinger.ts";
import { ManualClock } from "../../../hwc/core/time/clock.ts";
import { createReferenceComposer } from "../../../hwc/simulated/reference_composer.ts";
import { perfettoTrace } from "../../../workbench/timeline/mod.ts";
import { needs } from "../../support/require.ts";
import { withFolder } from "../../support/temporary.ts";
import { DRIVERS } from "../../wsi/adaptor/drawing.ts";
import { Presenter, Stage } from "../../wsi/swapchain/presenter.ts";
import { decodeTrace, type Slice } from "./decode.ts";

const SIZE = { width: 32, height: 24 }, PERIOD = 40_000_000n, FRAMES = 3;

/** The slices that arrows connect with a slice. The call that presents may begin before the GPU does. */
function reached(slices: readonly Slice[], from: Slice): Set<Slice> {
  const found = new Set([from]);
  for (const each of found) {
    for (const flow of each.flows) {
      for (const next of slices) if (next.flows.includes(flow)) found.add(next);
    }
  }
  return found;
}

for (const [name, driver] of DRIVERS) {
  Deno.test(
    `perfettoTrace() leads from a submission over the present to the display (${name})`,
    needs(name, driver),
    () => {
      withFolder((folder) => {
        const path = `${folder}/frame.pftrace`, clock = new ManualClock();
        using trace = perfettoTrace({ path });
        {
          const panels = [{ modes: [{ ...SIZE, refreshRate: 60 }] }];
          using composer = trace.watchComposer(createReferenceComposer({ clock, panels }));
          using flinger = new SurfaceFlinger({ composer });
          const window = flinger.createLayer({ name: "app", window: SIZE }).window!;
          using stage = new Stage({ driver: driver!, window, vulkan: { layers: [trace.layer] } });
          using presenter = new Presenter(stage);
          for (let frame = 0; frame < FRAMES; frame++) {
            presenter.frame([1, 0, 0, 1]);
            stage.device.vkDeviceWaitIdle(); // a frame that is still being drawn would be shown a vsync later
            clock.advance(PERIOD);
          }
        }
        trace.close();
        const { slices } = decodeTrace(Deno.readFileSync(path));
        const work = slices.filter(({ track, depth }) => track.includes("VkQueue") && depth === 0).slice(0, FRAMES);
        for (const each of work) {
          const names = [...reached(slices, each)].map(({ name }) => name);
          for (const step of ["vkQueuePresentKHR", "queueBuffer", "queued", "shown", "presentDisplay", "frame"]) {
            assertEquals(names.filter((name) => name === step), [step], names.join());
          }
        }
        assertEquals(work.length, FRAMES);
      });
    },
  );
}
