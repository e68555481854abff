import { arena } from "../../ffi/arena.ts";
import type { Cta8613, FrameTimestamps, Rect, Smpte2086 } from "../contract/window.ts";

/** The members of FrameTimestamps in the order of native_window_get_frame_timestamps. */
const TIMES = [
  "requestedPresent",
  "acquire",
  "latch",
  "firstRefreshStart",
  "lastRefreshStart",
  "gpuCompositionDone",
  "displayPresent",
  "dequeueReady",
  "release",
] as const;

/** Places floats in the arena and returns their offset. */
function placeFloats(values: readonly number[]): number {
  const { view } = arena(), at = arena().alloc(4 * values.length);
  values.forEach((value, index) => view.setFloat32(at + 4 * index, value, true));
  return at;
}

/** Places an android_smpte2086_metadata in the arena and returns its offset; 0 for none. */
export function placeSmpte2086(metadata: Smpte2086 | undefined): number {
  if (!metadata) return 0;
  const { red, green, blue, white, maxLuminance, minLuminance } = metadata;
  const points = [red, green, blue, white].flatMap(({ x, y }) => [x, y]);
  return placeFloats([...points, maxLuminance, minLuminance]);
}

/** Places an android_cta861_3_metadata in the arena and returns its offset; 0 for none. */
export function placeCta8613(metadata: Cta8613 | undefined): number {
  return metadata ? placeFloats([metadata.maxContentLightLevel, metadata.maxFrameAverageLightLevel]) : 0;
}

/** Places android_native_rect_t structs in the arena and returns their offset. */
export function placeRects(rects: readonly Rect[]): number {
  const { view } = arena(), at = arena().alloc(16 * Math.max(rects.length, 1));
  rects.forEach(({ left, top, right, bottom }, index) =>
    [left, top, right, bottom].forEach((value, member) => view.setInt32(at + 16 * index + 4 * member, value, true))
  );
  return at;
}

/** Allocates memory for all timestamps and returns the offsets. */
export function placeTimes(): number[] {
  const at = arena().alloc(8 * TIMES.length);
  return TIMES.map((_, index) => at + 8 * index);
}

/** Reads the timestamps that native code wrote at the offsets. */
export function readTimes(offsets: readonly number[]): FrameTimestamps {
  const { view } = arena();
  const times = TIMES.map((name, index) => [name, view.getBigInt64(offsets[index], true)] as const);
  return Object.fromEntries(times) as unknown as FrameTimestamps;
}

/** Converts damage to OpenGL's rectangles, from the bottom left corner, as Android's windows expect. */
export function windowDamage(rects: readonly Rect[], height: number): Rect[] {
  return rects.map((rect) =>
    rect.top > rect.bottom ? rect : { ...rect, top: height - rect.top, bottom: height - rect.bottom }
  );
}
