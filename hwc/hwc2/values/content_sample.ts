import { peek32, peek64, poke32, poke64 } from "../../../ffi/machine.ts";
import type { NativeFunction } from "../../../ffi/stubs.ts";
import type { Composer } from "../../composer.ts";
import type { ContentSample } from "../../composer_records.ts";
import { ERROR } from "../../types.ts";
import { answered } from "../call/answer.ts";
import type { Call } from "../call/call.ts";
import { pointer } from "./inputs.ts";
import type { Native } from "./numbers.ts";
import { OUT_Q } from "./outputs.ts";

/** A histogram for each possible component of a format. */
const COMPONENTS = 4;

/**
 * Arguments of GET_DISPLAYED_CONTENT_SAMPLE: display, most frames, since when,
 * their count, four sizes, four arrays.
 */
export const SAMPLE_SIGNATURE = "s:qqqqqqq";

/** The function that a composer's samples come out of. Without arrays it says the sizes; with them, it fills as much. */
export function answeringSample(composer: Composer): NativeFunction {
  return (_device, display, maxFrames, timestamp, count, sizes, arrays) =>
    answered(() => {
      const places = [pointer(count), pointer(sizes)];
      const { frameCount, samples } = composer.getDisplayedContentSample(display, maxFrames, timestamp);
      OUT_Q.write(places[0], frameCount);
      for (let component = 0; component < COMPONENTS; component++) {
        writeBins(samples[component] ?? [], places[1] + BigInt(4 * component), arrays, component);
      }
      return ERROR.NONE;
    });
}

function writeBins(bins: readonly bigint[], size: bigint, arrays: bigint, component: number): void {
  const array = arrays === 0n ? 0n : peek64(arrays + BigInt(8 * component));
  if (arrays === 0n) return poke32(size, bins.length);
  const room = array === 0n ? 0 : Math.min(peek32(size), bins.length);
  bins.slice(0, room).forEach((bin, index) => OUT_Q.write(array + BigInt(8 * index), bin));
  poke32(size, room);
}

/** Asks a device for samples: first for the sizes, then for the bins. */
export async function askForSample(
  ask: (natives: Native[]) => Promise<void>,
  given: readonly [bigint, bigint, bigint],
  call: Call,
): Promise<ContentSample> {
  const count = call.place(8), sizes = call.place(4 * COMPONENTS), arrays = call.place(8 * COMPONENTS);
  await ask([...given, count, sizes, 0n]);
  const places = Array.from({ length: COMPONENTS }, (_, component) => {
    const at = call.place(8 * Math.max(1, peek32(sizes + BigInt(4 * component))));
    poke64(arrays + BigInt(8 * component), at);
    return at;
  });
  await ask([...given, count, sizes, arrays]);
  const samples = places.map((at, component) => {
    const length = peek32(sizes + BigInt(4 * component));
    return Array.from({ length }, (_, bin) => peek64(at + BigInt(8 * bin)));
  });
  return { frameCount: peek64(count), samples };
}
