import { encode } from "fast-png";
import { createRenderer } from "../../../../../examples/draw/renderer.ts";
import { type Layer, loadVulkan } from "../../../../../loader/mod.ts";
import type { Image } from "../../../../support/image.ts";
import { Presenter, presenting, type Size } from "./presenter.ts";
import { XWindow } from "./x_window.ts";

/** The picture to show, and the way. */
export interface Show {
  /** The driver's library. */
  readonly driver: string;
  /** Layers, top to bottom. */
  readonly layers: readonly (Layer | string)[];
  /** The size of the picture and of the window. */
  readonly size: Size;
  /** The number of frames, a tenth of a second apart. */
  readonly frames: number;
  /** The folder for `drawn.png`, the picture that was drawn last, and `shown.png`, the picture in the window. */
  readonly folder: string;
  /** Draws and presents the frames by calling `all`; for what is to be done around them. */
  readonly around?: (all: () => void) => void;
}

/** Draws the demo's scene on one device into a window on the X server of `DISPLAY`. */
export function show({ driver, layers, size, frames, folder, around = (all) => all() }: Show): void {
  using opened = new XWindow(size);
  using vulkan = loadVulkan({ driver, layers });
  using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: ["VK_KHR_surface", "VK_KHR_xlib_surface"] });
  const [physicalDevice] = instance.vkEnumeratePhysicalDevices(), { gpu, device } = presenting(physicalDevice);
  using renderer = createRenderer(gpu, size, () => {});
  let drawn: Uint8Array;
  {
    using presenter = new Presenter(instance, physicalDevice, device(), opened, size);
    around(() => {
      for (let frame = 0; frame < frames; frame++) presenter.present(drawn = renderer.draw(frame / 10));
    });
  }
  save(`${folder}/drawn.png`, { ...size, data: drawn! });
  save(`${folder}/shown.png`, opened.read());
}

function save(path: string, { width, height, data }: Image): void {
  Deno.writeFileSync(path, encode({ width, height, data, channels: 4 }));
}
