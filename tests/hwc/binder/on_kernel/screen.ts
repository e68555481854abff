import type { AsyncComposer } from "../../../../hwc/composer.ts";
import { CALLBACK, POWER_MODE } from "../../../../hwc/device_types.ts";
import { FORMAT } from "../../../../hwc/types.ts";
import { allocateBuffer } from "../../../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../../../wsi/buffer/usage.ts";

const LAYERS = 8;

/** Shows frames of eight layers whose buffers change, and gives the milliseconds that the frames took, each. */
export class Screen {
  readonly composer: AsyncComposer;
  readonly buffers: GraphicBuffer[] = [];
  readonly layers: bigint[] = [];
  display = 0n;

  constructor(composer: AsyncComposer) {
    this.composer = composer;
  }

  async open(): Promise<void> {
    const { composer } = this;
    await composer.registerCallback(CALLBACK.HOTPLUG, (each) => void (this.display ||= each));
    for (let turn = 0; turn < 1000 && this.display === 0n; turn++) await new Promise((done) => setTimeout(done, 10));
    await composer.setPowerMode(this.display, POWER_MODE.ON);
    const usage = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN;
    for (let index = 0; index < LAYERS; index++) {
      for (let slot = 0; slot < 2; slot++) {
        this.buffers.push(allocateBuffer({ width: 16, height: 16, format: FORMAT.RGBA_8888, usage }));
      }
      const layer = await composer.createLayer(this.display);
      this.layers.push(layer);
      const frame = { left: 4 * index, top: 0, right: 4 * index + 16, bottom: 16 };
      await composer.setLayerCompositionType(this.display, layer, 2);
      await composer.setLayerDisplayFrame(this.display, layer, frame);
      await composer.setLayerSourceCrop(this.display, layer, { left: 0, top: 0, right: 16, bottom: 16 });
      await composer.setLayerZOrder(this.display, layer, index);
    }
  }

  async frame(number: number): Promise<number> {
    const { composer, display } = this, start = performance.now();
    for (const [index, layer] of this.layers.entries()) {
      await composer.setLayerBuffer(display, layer, this.buffers[2 * index + number % 2], null);
    }
    if ((await composer.validateDisplay(display)).numTypes > 0) await composer.acceptDisplayChanges(display);
    (await composer.presentDisplay(display)).close();
    for (const { fence } of await composer.getReleaseFences(display)) fence.close();
    return performance.now() - start;
  }

  close(): void {
    for (const buffer of this.buffers) buffer.close();
  }
}
