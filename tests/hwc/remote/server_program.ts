/**
 * Serves a reference composer on a clock that the test moves, which tells it
 * what to do by a socket of its own. Argument: the path of that.
 *
 * @module
 */
import { openBlocks } from "../../../ffi/block.ts";
import { createReferenceBackend } from "../../../hwc/backends/create.ts";
import type { CompositionRule } from "../../../hwc/backends/backend.ts";
import { exportHwc2 } from "../../../hwc/hwc2/export.ts";
import { openHwc2 } from "../../../hwc/hwc2/open.ts";
import { ManualClock } from "../../../hwc/core/time/clock.ts";
import type { ReferenceComposerOptions } from "../../../hwc/core/options.ts";
import { createReferenceComposer } from "../../../hwc/simulated/reference_composer.ts";
import type { ReferenceComposer } from "../../../hwc/core/controls.ts";
import { FORMAT } from "../../../hwc/types.ts";
import { serveComposer } from "../../../hwc/remote/server/serve.ts";
import { allocateBuffer, openBuffers } from "../../../wsi/buffer/gralloc.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import { openFiles } from "../../support/open_files.ts";
import { obey, type Orders } from "./control_line.ts";

interface Served {
  readonly composer: ReferenceComposer;
  readonly clock: ManualClock;
  close(): Promise<void>;
}

let served: Served | undefined;
const said: string[] = [];

/** Serves one, or the same as seen through hwcomposer2.h, which answers by Promises. */
function serve(
  path: string,
  options: ReferenceComposerOptions,
  rule: CompositionRule,
  isNative = false,
  takesAnyFence = true,
): void {
  const clock = new ManualClock(), backend = createReferenceBackend();
  const compositor: ReferenceComposerOptions["compositor"] = (target, layers, settings) =>
    backend.compose(target, layers, { rule, ...settings });
  const composer = createReferenceComposer({ ...options, compositor, clock });
  const exported = isNative ? exportHwc2(composer) : undefined, opened = exported && openHwc2(exported.module);
  const server = serveComposer(opened ?? Object.assign(composer, { takesAnyFence }), path, {
    log: (line) => said.push(line),
  });
  served = {
    composer,
    clock,
    async close() {
      await server.close();
      await opened?.close();
      exported?.close();
      composer.close();
      backend.close();
    },
  };
}

/** Calls a function of the composer's controls. */
function control(name: keyof ReferenceComposer): (...args: unknown[]) => unknown {
  return (...args) => (served!.composer[name] as (...args: unknown[]) => unknown)(...args);
}

const orders: Orders = {
  serve,
  async end() {
    await served?.close();
    served = undefined;
  },
  now: () => served!.clock.now(),
  advance: (nanoseconds: bigint) => served!.clock.advance(nanoseconds),
  said: () => said.splice(0),
  open: () => [openFiles(), openBuffers(), openBlocks()],
  memory: () => Deno.memoryUsage().rss,
  capture,
  ...Object.fromEntries(
    (["plug", "unplug", "changeModes", "refresh", "blockSeamless", "statistics", "dump"] as const)
      .map((name) => [name, control(name)]),
  ),
};

/** The pixels that a display shows, words of RGBA. */
function capture(display: bigint, width: number, height: number): Uint32Array {
  const usage = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN;
  using buffer = allocateBuffer({ width, height, format: FORMAT.RGBA_8888, usage });
  served!.composer.capture(display, buffer);
  const view = new DataView(buffer.lock().slice().buffer), { rowPitch } = buffer;
  return Uint32Array.from({ length: width * height }, (_, n) => {
    return view.getUint32(Math.floor(n / width) * rowPitch + 4 * (n % width), true);
  });
}

// Deno opens what it hears of signals with some time after its start, which would be counted.
const ignore = () => {};
Deno.addSignalListener("SIGUSR2", ignore);
Deno.removeSignalListener("SIGUSR2", ignore);

await obey(Deno.args[0], orders);
await served?.close();
