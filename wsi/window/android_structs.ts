import { arena } from "../../ffi/arena.ts";
import type { Cta8613, FrameTimestamps, Rect, Smpte2086 } from "../contract/window.ts";

/** The members of FrameTimestamps in the order in which native_window_get_frame_timestamps has them. */
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

/** Puts floats into the arena: the offset. */
function placeFloats(values: readonly number[]): number {
  const { view } = arena(), at = arena().alloc(4 * values.length);
  values.forEach((value, index) => view.setFloat32(at + 4 * index, value, true));
  return at;
}

/** Puts an android_smpte2086_metadata into the arena: the offset, 0 for none. */
export function placeSmpte2086(metadata: Smpte2086 | undefined): number {
  if (!metadata) return 0;
  const { red, green, blue, white, maxLuminance, minLuminance } = metadata;
  const points = [red, green, blue, white].flatMap(({ x, y }) => [x, y]);
  return placeFloats([...points, maxLuminance, minLuminance]);
}

/** Puts an android_cta861_3_metadata into the arena: the offset, 0 for none. */
export function placeCta8613(metadata: Cta8613 | undefined): number {
  return metadata ? placeFloats([metadata.maxContentLightLevel, metadata.maxFrameAverageLightLevel]) : 0;
}

/** Puts android_native_rect_t into the arena: the offset. */
export function placeRects(rects: readonly Rect[]): number {
  const { view } = arena(), at = arena().alloc(16 * Math.max(rects.length, 1));
  rects.forEach(({ left, top, right, bottom }, index) =>
    [left, top, right, bottom].forEach((value, member) => view.setInt32(at + 16 * index + 4 * member, value, true))
  );
  return at;
}

/** Room for as many timestamps as there are: the offsets. */
export function placeTimes(): number[] {
  const at = arena().alloc(8 * TIMES.length);
  return TIMES.map((_, index) => at + 8 * index);
}

/** The timestamps that native code wrote there. */
export function readTimes(offsets: readonly number[]): FrameTimestamps {
  const { view } = arena();
  const times = TIMES.map((name, index) => [name, view.getBigInt64(offsets[index], true)] as const);
  return Object.fromEntries(times) as unknown as FrameTimestamps;
}

/** Whole damage as OpenGL has it, from the bottom left corner, which is what Android's windows expect. */
export function windowDamage(rects: readonly Rect[], height: number): Rect[] {
  return rects.map((rect) =>
    rect.top > rect.bottom ? rect : { ...rect, top: height - rect.top, bottom: height - rect.bottom }
  );
}
