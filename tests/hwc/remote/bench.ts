import { CALLBACK, POWER_MODE } from "../../../hwc/device_types.ts";
import type { ReferenceComposerOptions } from "../../../hwc/core/options.ts";
import { connectComposer, type RemoteComposer, type RemoteOptions } from "../../../hwc/remote/client/connect.ts";
import { FORMAT } from "../../../hwc/types.ts";
import { allocateBuffer } from "../../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import type { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { assertEquals } from "@std/assert";
import { opaqueLayer } from "../core/frame.ts";
import { fill } from "../flinger/stage.ts";
import { warmFences } from "../suite/warm_fences.ts";
import type { FarServer } from "./far_server.ts";
import { leavesNothing } from "./leaves_nothing.ts";

export const WIDTH = 32, HEIGHT = 24;
/** Nanoseconds from vsync to vsync at 60 Hz, rounded up. */
export const PERIOD = 16_666_667n;
/** One small panel. */
export const SMALL: ReferenceComposerOptions = {
  panels: [{ modes: [{ width: WIDTH, height: HEIGHT, refreshRate: 60 }] }],
  flattenAfter: 0,
};

/** A client of a composer in another process, with its display turned on. */
export class RemoteBench implements AsyncDisposable {
  readonly server: FarServer;
  readonly composer: RemoteComposer;
  readonly display: bigint;
  readonly #buffers: GraphicBuffer[] = [];

  constructor(server: FarServer, options: RemoteOptions = {}, device = SMALL, isNative = false) {
    this.server = server;
    server.serve(device, "round-once", isNative);
    this.composer = connectComposer(server.path, options);
    let display = 0n;
    if (!isNative) this.composer.registerCallback(CALLBACK.HOTPLUG, (each) => display ||= each);
    this.display = display;
    if (display) this.composer.setPowerMode(display, POWER_MODE.ON);
  }

  /** A buffer of one colour that is given back at the end. */
  buffer(color: readonly number[] = [0, 0, 0, 255], width = WIDTH, height = HEIGHT): GraphicBuffer {
    const usage = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN;
    const buffer = allocateBuffer({ width, height, format: FORMAT.RGBA_8888, usage });
    this.#buffers.push(buffer);
    fill(buffer, color);
    return buffer;
  }

  /** An opaque layer over everything. */
  layer(buffer = this.buffer(), fence: NativeFence | null = null, display = this.display): bigint {
    return opaqueLayer(this.composer, display, buffer, { fence });
  }

  /** Validates, accepts and presents. */
  present(display = this.display): NativeFence {
    if (this.composer.validateDisplay(display).numTypes > 0) this.composer.acceptDisplayChanges(display);
    return this.composer.presentDisplay(display);
  }

  /** Lets vsyncs go by there. */
  vsyncs(count = 1): void {
    this.server.call("advance", PERIOD * BigInt(count));
  }

  /** The colour of a pixel on the panel there. */
  pixel(x: number, y: number): number[] {
    const word = (this.server.call("capture", this.display, WIDTH, HEIGHT) as Uint32Array)[y * WIDTH + x];
    return [word & 255, word >> 8 & 255, word >> 16 & 255];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.composer[Symbol.asyncDispose]();
    this.server.end();
    for (const buffer of this.#buffers) buffer.close();
  }
}

/** A test on a bench, run often: after the first times nothing is open that was not before, on either side. */
export function onRemote(
  server: FarServer,
  run: (bench: RemoteBench) => void | Promise<void>,
  options?: RemoteOptions,
  device?: ReferenceComposerOptions,
): () => Promise<void> {
  const once = async () => {
    await using bench = new RemoteBench(server, options, device);
    await run(bench);
  };
  return async () => {
    warmFences();
    await once();
    const there = server.call("open");
    await leavesNothing(once);
    for (let turn = 0; turn < 400 && String(server.call("open")) !== String(there); turn++) {
      await new Promise((done) => setTimeout(done, 5)); // what waits there closes its files a moment later
    }
    assertEquals(server.call("open"), there, "open files, buffers and blocks of the server");
  };
}
