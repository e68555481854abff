import type { Composer } from "../../hwc/composer.ts";
import { CALLBACK, POWER_MODE } from "../../hwc/device_types.ts";
import { connectComposer } from "../../hwc/remote/client/connect.ts";
import { BLEND, COMPOSITION, FORMAT } from "../../hwc/types.ts";
import { allocateBuffer } from "../../wsi/buffer/gralloc.ts";
import { USAGE } from "../../wsi/buffer/usage.ts";
import { steppedComposer } from "../hwc/stepped.ts";
import type { Figure } from "../figure.ts";
import { compare, type Work } from "../measure.ts";

const LAYERS = 8, TIMES = 50, SIDE = 128;

/** The cost of a frame to the client of a composer in another process, beside a composer in this process. */
export async function remoteFigures(): Promise<Figure[]> {
  const folder = Deno.makeTempDirSync(), path = `${folder}/composer`;
  const server = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-prompt", "--allow-ffi", new URL("../hwc/serve.ts", import.meta.url).href, path],
    stdin: "null",
    stdout: "piped",
  }).spawn();
  try {
    await server.stdout.getReader().read();
    using remote = connectComposer(path);
    using direct = steppedComposer();
    const { ours, theirs, ratio } = compare(frames(remote), frames(direct), TIMES);
    return [
      {
        name: "remote_frame_us",
        meaning: `a frame of ${LAYERS} layers with new buffers, by a composer in another process`,
        value: ours / 1000,
        unit: "µs",
      },
      { name: "direct_frame_us", meaning: "the same in this process", value: theirs / 1000, unit: "µs" },
      { name: "remote_vs_direct", meaning: "the ratio of both", value: ratio, unit: "×", goal: 5 },
    ];
  } finally {
    server.kill("SIGKILL");
    await server.status;
    Deno.removeSync(folder, { recursive: true });
  }
}

/** Frames whose layers all have another buffer than the frame before; `owned` gets the buffers. */
export function frames(composer: Composer, count: number = LAYERS, owned = new DisposableStack()): Work {
  let display = 0n, turn = 0;
  composer.registerCallback(CALLBACK.HOTPLUG, (each) => display ||= each);
  composer.setPowerMode(display, POWER_MODE.ON);
  const usage = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN, size = { width: SIDE, height: SIDE };
  const layers = Array.from({ length: count }, (_, index) => ({
    layer: makeLayer(composer, display, index),
    buffers: [0, 1, 2].map(() => owned.use(allocateBuffer({ ...size, format: FORMAT.RGBA_8888, usage }))),
  }));
  return (times) => {
    for (let frame = 0; frame < times; frame++) {
      turn = (turn + 1) % 3;
      for (const { layer, buffers } of layers) composer.setLayerBuffer(display, layer, buffers[turn], null);
      if (composer.validateDisplay(display).numTypes > 0) composer.acceptDisplayChanges(display);
      composer.presentDisplay(display).close();
      for (const { fence } of composer.getReleaseFences(display)) fence.close();
    }
  };
}

function makeLayer(composer: Composer, display: bigint, index: number): bigint {
  const layer = composer.createLayer(display), left = index * SIDE;
  composer.setLayerSourceCrop(display, layer, { left: 0, top: 0, right: SIDE, bottom: SIDE });
  composer.setLayerDisplayFrame(display, layer, { left, top: 0, right: left + SIDE, bottom: SIDE });
  composer.setLayerBlendMode(display, layer, BLEND.PREMULTIPLIED);
  composer.setLayerZOrder(display, layer, index);
  composer.setLayerCompositionType(display, layer, COMPOSITION.DEVICE);
  return layer;
}
