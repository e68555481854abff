/**
 * A small island that spins in a window of Android's, on any Vulkan driver: on
 * an X display, on a web page, as a video or as pictures.
 *
 * ```sh
 * deno run --allow-ffi --allow-read '--allow-env=DISPLAY,HOME,XDG_*,VK_*' examples/window.ts --x11
 * deno run --allow-ffi --allow-read '--allow-env=DISPLAY,HOME,XDG_*,VK_*' --allow-net=127.0.0.1 examples/window.ts --web
 * ```
 *
 * The first opens a window of the X server in DISPLAY, the second prints the
 * address of a page. Both show 300 frames and print how many a second.
 *
 * Options: `--driver PATH` a driver or manifest (default: the best of this
 * machine), `--size WIDTHxHEIGHT` (default 640x360), `--frames N` (default
 * 300), `--mode fifo|mailbox|fifo-latest-ready|shared-demand|shared-continuous`
 * (default fifo), and one of `--x11`, `--web`, `--video FILE`, `--png PATTERN`
 * such as `out/window-%04d.png` (default: `--x11` where there is a display,
 * else `--web`). Exit codes: 0 good, 1 a part could not be used, 2 wrong
 * options.
 *
 * `--png` needs `--allow-write=out` too, `--video` `--allow-write=out
 * --allow-run=ffmpeg`.
 *
 * @module
 */
import { DriverError, NativeWindow, VulkanError, WsiError } from "@pumice/gfx";
import { argumentsOf, countOf, refuse, sizeOf } from "./arguments.ts";
import { openVulkan } from "./open_vulkan.ts";
import { isModeName, MODES } from "./spin/modes.ts";
import { extentOf, makePresentation, type Presentation } from "./spin/presentation.ts";
import { openShowing, type Place, type Showing } from "./spin/showing.ts";
import { ModeError, openStage, type Stage } from "./spin/stage.ts";

const REFRESH = 1000 / 60, SECOND = 1000;

const options = argumentsOf({
  driver: { type: "string" },
  size: { type: "string", default: "640x360" },
  frames: { type: "string", default: "300" },
  mode: { type: "string", default: "fifo" },
  x11: { type: "boolean", default: false },
  web: { type: "boolean", default: false },
  video: { type: "string" },
  png: { type: "string" },
});
const [width, height] = sizeOf(options.size), frames = countOf(options.frames), mode = modeOf(options.mode);
try {
  await run(placeOf(options));
} catch (error) {
  const known = [error, (error as Partial<SuppressedError>).error].find(isExpected);
  if (!known) throw error;
  console.error(known.message);
  Deno.exitCode = 1;
}

/** Whether an error ends the program with a sentence: a display that goes away in the middle, too. */
function isExpected(error: unknown): error is Error {
  return [DriverError, WsiError, VulkanError, ModeError].some((expected) => error instanceof expected);
}

async function run(place: Place): Promise<void> {
  await using showing = openShowing(place, { width, height });
  using native = new NativeWindow({ width, height, consumer: showing.consumer });
  using vulkan = openVulkan(options.driver, [], console.log);
  using stage = openStage(vulkan, native, { mode });
  console.log(`Drawing with ${stage.physicalDevice.vkGetPhysicalDeviceProperties().deviceName}, mode ${mode}`);
  await showing.begin();
  const start = performance.now(), drawn = await drawAll(stage, showing);
  const { queued, dropped, copies } = native.statistics, seconds = (performance.now() - start) / SECOND;
  console.log(`${drawn} frames in ${seconds.toFixed(1)} s, ${(drawn / seconds).toFixed(1)} a second`);
  console.log(`${queued} queued, ${dropped} dropped, ${copies} copied on the way to the window; ${showing.summary()}`);
}

/** Draws until there are enough or the window is closed; how many it were. A window of another size gets another swapchain. */
async function drawAll(stage: Stage, showing: Showing): Promise<number> {
  const { format } = showing, start = performance.now();
  let presentation = makePresentation(stage, { format }), told = start, number = 0;
  try {
    for (; number < frames && showing.isOpen; number++) {
      if (!fits(stage, presentation) || !presentation.show(number)) {
        using _former = presentation;
        presentation = makePresentation(stage, { format, instead: presentation });
        presentation.show(number);
      }
      const due = showing.isLive ? start + (number + 1) * REFRESH : 0, now = performance.now();
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - now)));
      if (now - told < SECOND) continue;
      told = now;
      console.log(`frame ${number + 1}: ${((number + 1) * SECOND / (now - start)).toFixed(1)} a second`);
    }
  } finally {
    presentation[Symbol.dispose]();
  }
  return number;
}

function fits(stage: Stage, { extent }: Presentation): boolean {
  const { width, height } = extentOf(stage);
  return width === extent.width && height === extent.height;
}

function placeOf({ png, video, x11, web }: typeof options): Place {
  const places: Place[] = [];
  if (x11) places.push({ kind: "x11" });
  if (web) places.push({ kind: "web" });
  if (video !== undefined) places.push({ kind: "video", path: video });
  if (png !== undefined) places.push({ kind: "png", pattern: png });
  if (places.length > 1) return refuse("frames go to one place: give one of --x11, --web, --video, --png");
  return places[0] ?? { kind: Deno.env.get("DISPLAY") ? "x11" : "web" };
}

function modeOf(text: string) {
  return isModeName(text) ? text : refuse(`--mode is "${text}"; write one of ${Object.keys(MODES).join(", ")}`);
}
