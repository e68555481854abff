import { createKmsComposer, type KmsComposer } from "../../../../hwc/kms/create_kms_composer.ts";
import type { KmsComposerOptions } from "../../../../hwc/kms/options.ts";
import type { KmsError } from "../../../../hwc/kms/kms_error.ts";
import { POWER_MODE } from "../../../../hwc/device_types.ts";
import { FORMAT } from "../../../../hwc/types.ts";
import { allocateBuffer } from "../../../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../../../wsi/buffer/usage.ts";
import type { NativeFence } from "../../../../wsi/fence/native_fence.ts";
import { needs } from "../../../support/require.ts";

/** These tests run in a virtual machine that has cards; elsewhere they are skipped by name. */
export const ON_CARDS: { ignore: boolean } = Deno.env.get("PUMICE_VM") === "1"
  ? needs("cards, in the virtual machine of `deno task test:vm`", true)
  : { ignore: true };

/** Whether tests show as many frames as by hand, which takes too long for every run. */
export const LONG = Deno.env.get("PUMICE_VM_LONG") === "1";

/** A small mode, so that emulated pixels do not take long. */
export const SIZE = { width: 640, height: 480 } as const;

/** A composer on vkms with its display turned on, and what it said went wrong. */
export class Vkms implements AsyncDisposable {
  readonly composer: KmsComposer;
  readonly display: bigint;
  /** The index of the config in use. */
  readonly config: number = 0;
  readonly errors: KmsError[] = [];
  readonly #buffers: GraphicBuffer[] = [];
  #copy: GraphicBuffer | undefined;
  #own: GraphicBuffer | undefined;

  constructor(driver = "vkms", options: KmsComposerOptions = {}) {
    const composer = this.composer = createKmsComposer({
      ...options,
      card: { driver },
      flattenAfter: 0, // emulated frames come late
      onError: (error) => this.errors.push(error as KmsError),
    });
    let first = 0n;
    composer.registerCallback(1, (display) => first ||= display);
    this.display = first;
    if (first === 0n) {
      composer.close();
      throw new Error("nothing is connected to the card");
    }
    const configs = composer.getDisplayConfigurations(first);
    const small = configs.find(({ width, height }) => width === SIZE.width && height === SIZE.height);
    if (small) {
      composer.setActiveConfig(first, small.configId);
      this.config = configs.indexOf(small);
    }
    composer.setPowerMode(first, POWER_MODE.ON);
  }

  /** A buffer whose pixels a function gives, as 0xaabbggrr; closed at the end. */
  buffer(width: number, height: number, pixel: (x: number, y: number) => number, format: number = FORMAT.RGBA_8888) {
    const buffer = paintedBuffer(width, height, pixel, format);
    this.#buffers.push(buffer);
    return buffer;
  }

  /** A buffer of the screen's size for the composer's own composition. */
  get own(): GraphicBuffer {
    return this.#own ??= this.buffer(SIZE.width, SIZE.height, () => 0);
  }

  /** Validates, accepts and presents. */
  present(): NativeFence {
    const { composer, display } = this;
    if (composer.validateDisplay(display).numTypes > 0) composer.acceptDisplayChanges(display);
    return composer.presentDisplay(display);
  }

  /** Presents a frame, and returns the pixels that the card's writeback gives. */
  async shown(): Promise<Uint32Array> {
    const into = this.#copy ??= this.buffer(SIZE.width, SIZE.height, () => 0);
    new Uint32Array(into.lock().buffer).fill(0xdeadbeef);
    into.unlock();
    this.composer.setReadbackBuffer(this.display, into, null);
    const fence = this.present();
    await fence.ready();
    fence.close();
    return pixelsOf(into);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.composer[Symbol.asyncDispose]();
    for (const buffer of this.#buffers) buffer.close();
  }
}

/** A copy of a buffer's pixels, without what lies between rows. */
export function pixelsOf(buffer: GraphicBuffer): Uint32Array {
  const { width, height, rowPitch } = buffer, words = new Uint32Array(buffer.lock().buffer);
  const pixels = new Uint32Array(width * height);
  for (let y = 0; y < height; y++) pixels.set(words.subarray(y * rowPitch / 4, y * rowPitch / 4 + width), y * width);
  buffer.unlock();
  return pixels;
}

/** A buffer whose pixels a function gives, as 0xaabbggrr. */
export function paintedBuffer(
  width: number,
  height: number,
  pixel: (x: number, y: number) => number,
  format: number = FORMAT.RGBA_8888,
): GraphicBuffer {
  const usage = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN | USAGE.COMPOSER_OVERLAY;
  const buffer = allocateBuffer({ width, height, format, usage }), words = new Uint32Array(buffer.lock().buffer);
  for (let y = 0; y < height; y++) {
    const row = y * buffer.rowPitch / 4;
    for (let x = 0; x < width; x++) words[row + x] = pixel(x, y);
  }
  buffer.unlock();
  return buffer;
}

/** Connects (`on`) or disconnects (`off`) the screen of vkms, and lets the kernel tell. */
export function connectScreen(status: "on" | "off"): void {
  Deno.writeTextFileSync("/sys/class/drm/card0-Virtual-1/status", status);
  Deno.writeTextFileSync("/sys/class/drm/card0/uevent", `change ${crypto.randomUUID()} HOTPLUG=1`);
}

/** The framebuffers of all programs on vkms. */
export function framebuffers(): number {
  return Deno.readTextFileSync("/sys/kernel/debug/dri/0/framebuffer").match(/^framebuffer\[/gm)?.length ?? 0;
}

/** The console that is shown. */
export function consoleShown(): string {
  return `/dev/${Deno.readTextFileSync("/sys/class/tty/tty0/active").trim()}`;
}

/** Shows another console: the program is asked, so that this must not block. */
export async function switchTo(number: string): Promise<void> {
  const { success } = await new Deno.Command("busybox", { args: ["chvt", number] }).output();
  if (!success) throw new Error(`chvt ${number} failed`);
}
