import { assertEquals } from "@std/assert";
import { clientOnly } from "../../../hwc/planes/strategy.ts";
import { needs } from "../../support/require.ts";
import { DRIVERS } from "../../wsi/adaptor/drawing.ts";
import { Presenter, Stage as VulkanStage } from "../../wsi/swapchain/presenter.ts";
import { BLUE, Stage } from "./stage.ts";

for (const [name, driver] of DRIVERS) {
  for (const [who, options] of [["planes", {}], ["the client", { strategy: clientOnly() }]] as const) {
    Deno.test(`shows on ${who} what a Vulkan swapchain draws (${name})`, needs(name, driver), () => {
      using stage = new Stage(options);
      stage.layer("status", [32, 4], BLUE, { z: 1 });
      const layer = stage.flinger.createLayer({ name: "vulkan", window: { width: 32, height: 24 } });
      using vulkan = new VulkanStage({ driver: driver!, window: layer.window! });
      using presenter = new Presenter(vulkan, { minImageCount: 4 });
      for (let frame = 0; frame < 8; frame++) {
        const { acquired, presented } = presenter.frame([frame & 1, frame >> 1 & 1, 0, 1]);
        assertEquals([acquired, presented], [0, 0], `frame ${frame}`);
        // The clock here is not the driver's: what presenting submitted may still be under way.
        vulkan.queue.vkQueueWaitIdle();
        stage.vsyncs(2);
        assertEquals(stage.pixel(5, 10), [255 * (frame & 1), 255 * (frame >> 1 & 1), 0], `frame ${frame}`);
      }
      assertEquals([stage.pixel(5, 2), layer.frameNumber, stage.said], [[0, 0, 255], 8n, []]);
    });
  }
}
