import { driverChoice } from "../../../loader/driver/choice.ts";
import { KmsError } from "../../../hwc/kms/kms_error.ts";
import type { SurfaceLayer } from "../../../hwc/flinger/layers/surface_layer.ts";
import { DriverError, VulkanError } from "../../../loader/error.ts";
import { requireDriver } from "../../../loader/api/load_vulkan.ts";
import type { Vulkan, VulkanOptions } from "../../../loader/mod.ts";
import { loadVulkan } from "../../../wsi/load_vulkan.ts";
import { CpuWindow } from "../../../wsi/window/cpu_window.ts";
import type { NativeWindow } from "../../../wsi/window/native_window.ts";
import { WsiError } from "../../../wsi/error.ts";
import { pixel } from "./paint.ts";

const DOTS = 14, TURN = 240;

/** Paints the application without Vulkan: a turning ring of dots. */
function paintApp(words: Uint32Array, stride: number, width: number, height: number, number: number): void {
  for (let y = 0; y < height; y++) {
    const light = y / height;
    words.fill(pixel(0.09 + 0.05 * light, 0.13 + 0.06 * light, 0.22 + 0.1 * light), y * stride, y * stride + width);
  }
  const size = Math.min(width, height), ring = size * 0.3;
  for (let dot = 0; dot < DOTS; dot++) {
    const angle = 2 * Math.PI * (dot / DOTS + number / TURN), share = dot / DOTS;
    const x = width / 2 + ring * Math.cos(angle), y = height / 2 + ring * Math.sin(angle);
    disc(words, stride, x, y, size * (0.015 + 0.035 * share), pixel(0.5 + 0.5 * share, 0.75, 1 - 0.4 * share));
  }
}

function disc(words: Uint32Array, stride: number, x: number, y: number, radius: number, word: number): void {
  for (let row = Math.ceil(y - radius); row <= y + radius; row++) {
    const half = Math.sqrt(radius * radius - (row - y) ** 2);
    words.fill(word, row * stride + Math.ceil(x - half), row * stride + Math.floor(x + half) + 1);
  }
}

/** The application of the scene: something that draws frames. */
export interface App extends Disposable {
  /** The app's way of drawing, as a sentence. */
  readonly how: string;
  /** Draws a frame, and does not wait for it. */
  draw(number: number): void;
  /** Waits until all is drawn. */
  settle(): void;
}

/** The used part of the repository's spinning island. */
interface Spin {
  openStage(vulkan: Vulkan, window: NativeWindow): Disposable & {
    readonly physicalDevice: { vkGetPhysicalDeviceProperties(): { readonly deviceName: string } };
  };
  makePresentation(stage: Disposable): Disposable & { show(number: number): boolean; settle(): void };
}

/**
 * Opens the spinning island of the examples on a Vulkan driver. Without a driver, or without the examples (which are
 * not published), the CPU paints the app. Throws a `DriverError` for a named driver that cannot be used.
 */
export async function openApp(layer: SurfaceLayer, options: VulkanOptions): Promise<App> {
  const spin = await findSpin();
  if (!spin) return paintedApp(layer, "The spinning island is in the repository, not in this package.");
  const owned = new DisposableStack();
  try {
    const stage = owned.use(spin.openStage(owned.use(requireDriver(loadVulkan(options))), layer.window!));
    const presentation = owned.use(spin.makePresentation(stage));
    const { deviceName } = stage.physicalDevice.vkGetPhysicalDeviceProperties();
    return {
      how: `The application is drawn by Vulkan on ${deviceName}.`,
      draw: (number) => void presentation.show(number),
      settle: () => presentation.settle(),
      [Symbol.dispose]: () => owned.dispose(),
    };
  } catch (error) {
    owned.dispose();
    if (!isExpected(error) || driverChoice(options.driver).kind !== "auto") throw error;
    return paintedApp(layer, error.message);
  }
}

/** Whether the error is usual for a machine without a suitable driver. */
export function isExpected(error: unknown): error is Error {
  return [DriverError, VulkanError, WsiError, KmsError].some((kind) => error instanceof kind);
}

/** Loaded by an address that is not looked at before: a package without it is whole. */
async function findSpin(): Promise<Spin | undefined> {
  const spin = new URL("../../../examples/spin/", import.meta.url).href;
  try {
    return { ...await import(`${spin}stage.ts`), ...await import(`${spin}presentation.ts`) };
  } catch {
    return undefined;
  }
}

function paintedApp(layer: SurfaceLayer, why: string): App {
  const window = new CpuWindow(layer.window!);
  return {
    how: `The application is painted by the processor. ${why}`,
    draw(number) {
      window.drawPixels((words, stride, { width, height }) => paintApp(words, stride, width, height, number));
    },
    settle() {},
    [Symbol.dispose]() {},
  };
}

/** Something that is shown, and moves from vsync to vsync. */
export interface Scene extends Disposable {
  /** Goes on to a moment, counted in vsyncs from 0. */
  advance(moment: number): void;
}
