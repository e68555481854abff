import { ManualClock } from "../../hwc/core/time/clock.ts";
import { createReferenceComposer } from "../../hwc/simulated/reference_composer.ts";
import type { ReferenceComposer } from "../../hwc/core/controls.ts";
import { createKmsComposer } from "../../hwc/kms/create_kms_composer.ts";
import type { PlaneModel } from "../../hwc/planes/plane.ts";
import { POWER_MODE } from "../../hwc/device_types.ts";
import { BLEND, COMPOSITION } from "../../hwc/types.ts";
import { allocateBuffer } from "../../wsi/buffer/gralloc.ts";
import { USAGE } from "../../wsi/buffer/usage.ts";
import { compileFixture } from "../../tests/support/compile.ts";
import { run } from "../../tests/support/subprocess.ts";

/** The size of a layer; layers lie beside each other. */
const SIDE = 64, MODE = { width: 640, height: 480, refreshRate: 60 };
const LAYERS = 8;

/** A loop of frames, and what ends it. */
export interface FrameLoop extends Disposable {
  /** The planes. */
  readonly planes: PlaneModel;
  /** Shows so many frames: each layer gets its other buffer. */
  frames(count: number): void;
}

/** A loop on a card in memory, whose pictures appear at once. */
export function kmsLoop(): FrameLoop {
  const folder = Deno.makeTempDirSync(), path = `${folder}/card`;
  run("mkfifo", [path]);
  Deno.env.set("FAKE_DRM_PLANES", String(LAYERS));
  const composer = createKmsComposer({ card: { path, libdrm: compileFixture("fake_drm")! }, flattenAfter: 0 });
  return loopOf(composer, () => {}, () => Deno.removeSync(folder, { recursive: true }));
}

/** The same loop on simulated planes. */
export function simulatedLoop(planes: PlaneModel): FrameLoop {
  const clock = new ManualClock(), panels = [{ modes: [MODE] }];
  const composer = createReferenceComposer({ clock, panels, planes, flattenAfter: 0 });
  return loopOf(composer, () => clock.advance(16_666_667n), () => {});
}

function loopOf(composer: ReferenceComposer, vsync: () => void, end: () => void): FrameLoop {
  let display = 0n;
  composer.registerCallback(1, (connected) => display ||= connected);
  composer.setPowerMode(display, POWER_MODE.ON);
  const usage = USAGE.COMPOSER_OVERLAY | USAGE.CPU_WRITE_OFTEN;
  const make = () => allocateBuffer({ width: SIDE, height: SIDE, format: 1, usage });
  const layers = Array.from({ length: LAYERS }, (_, z) => {
    const layer = composer.createLayer(display), left = SIDE * z, buffers = [make(), make()];
    composer.setLayerDisplayFrame(display, layer, { left, top: 0, right: left + SIDE, bottom: SIDE });
    composer.setLayerSourceCrop(display, layer, { left: 0, top: 0, right: SIDE, bottom: SIDE });
    composer.setLayerBlendMode(display, layer, BLEND.PREMULTIPLIED);
    composer.setLayerCompositionType(display, layer, COMPOSITION.DEVICE);
    composer.setLayerZOrder(display, layer, z);
    return { layer, buffers };
  });
  const frame = (number: number) => {
    for (const { layer, buffers } of layers) composer.setLayerBuffer(display, layer, buffers[number & 1], null);
    if (composer.validateDisplay(display).numTypes > 0) throw new Error("a layer is on no plane");
    composer.presentDisplay(display).close();
    vsync();
  };
  return {
    planes: composer.planes(display),
    frames(count) {
      for (let number = 0; number < count; number++) frame(number);
    },
    [Symbol.dispose]() {
      composer.close();
      for (const { buffers } of layers) for (const buffer of buffers) buffer.close();
      end();
    },
  };
}
