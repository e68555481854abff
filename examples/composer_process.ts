/**
 * A hardware composer in one process and its client in another, as on a device.
 *
 * ```sh
 * deno run --allow-ffi examples/composer_process.ts serve /tmp/composer
 * deno run --allow-ffi examples/composer_process.ts show /tmp/composer
 * ```
 *
 * Start the second command in another terminal, as often as you like. It shows
 * sixty frames and prints what the client knows of its layer and display. The
 * first runs until Ctrl-C.
 *
 * @module
 */
import { connectComposer, createReferenceComposer, serveComposer, SurfaceFlinger } from "@pumice/gfx/hwc";
import { CpuWindow } from "@pumice/gfx/wsi";
import { refuse } from "./arguments.ts";

const [role, path] = Deno.args, ROLES: Record<string, () => void> = { serve, show };
if (!(role in ROLES) || !path) refuse("write `serve PATH`, or `show PATH` with the path of a server");
ROLES[role]();

function serve(): void {
  const composer = createReferenceComposer({ panels: [{ modes: [{ width: 640, height: 480, refreshRate: 60 }] }] });
  const server = serveComposer(composer, path, { log: console.error });
  Deno.addSignalListener("SIGINT", async () => {
    await server.close();
    composer.close();
    Deno.exit();
  });
  console.log(`serving at ${server.path}`);
}

/** Sixty frames that become brighter, each drawn when the display gives a buffer back. */
async function show(): Promise<void> {
  using composer = connectComposer(path, { onLost: console.error });
  using flinger = new SurfaceFlinger({ composer });
  const layer = flinger.createLayer({ name: "fade", window: { width: 640, height: 480 } });
  const painter = new CpuWindow(layer.window!);
  for (let frame = 0; frame < 60;) {
    if (painter.drawPixels((pixels) => pixels.fill(0xff000000 | 0x040404 * frame))) frame++;
    // The frame is taken at a vsync, which comes by the event loop.
    do await new Promise((done) => setTimeout(done, 1)); while (flinger.statistics.latched < frame);
  }
  console.log(flinger.dump());
}
