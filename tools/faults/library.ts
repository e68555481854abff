import { homeScene } from "../../bench/hwc/scene.ts";
import { createVulkanBackend } from "../../hwc/backends/create.ts";
import { FORMAT } from "../../hwc/types.ts";
import { VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL } from "../../loader/gen/enums_core_gen.js";
import { loadVulkan } from "../../wsi/load_vulkan.ts";
import { allocateBuffer } from "../../wsi/buffer/gralloc.ts";
import { USAGE } from "../../wsi/buffer/usage.ts";
import { droppingConsumer } from "../../wsi/consumer/dropping.ts";
import { changeLayout } from "../../wsi/gpu/image.ts";
import { openGpu } from "../../wsi/gpu/open_gpu.ts";
import { NativeWindow } from "../../wsi/window/native_window.ts";
import type { Program } from "./run.ts";

const SIDE = 64, FRAMES = 3, SMALL = 1 / 8;
const COLOR = { aspectMask: VK_IMAGE_ASPECT_COLOR_BIT, levelCount: 1, layerCount: 1 };

/** Uses of the library's own parts on a driver that neither an example nor a page has. */
export function libraryParts(): Program[] {
  return [{ name: "composition on Vulkan", run: compose }, { name: "frames of a window", run: showFrames }];
}

/** A home screen, in RGBA and in NV12, whose shader is another one. */
async function compose(): Promise<void> {
  using scene = homeScene(SMALL);
  using vulkan = loadVulkan();
  using backend = createVulkanBackend(vulkan);
  const { target: { width, height }, layers } = scene, usage = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN;
  using video = allocateBuffer({ width: width & ~7, height: height & ~1, format: FORMAT.YCBCR_420_888, usage });
  for (const target of [scene.target, video]) await backend.compose(target, layers);
}

async function showFrames(): Promise<void> {
  using window = new NativeWindow({ width: SIDE, height: SIDE, consumer: droppingConsumer() });
  using gpu = openGpu({ window });
  for (let frame = 0; frame < FRAMES; frame++) {
    const target = await gpu.swapchain.acquire(), layout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    gpu.submit((commands) => {
      changeLayout(commands, target, layout);
      commands.vkCmdClearColorImage(target.image, layout, { float32: [1, 0, 0, 1] }, [COLOR]);
    });
    gpu.swapchain.present();
  }
}
