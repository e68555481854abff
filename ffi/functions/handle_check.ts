import type { Code } from "../asm/code.ts";
import type { CheckSlots } from "../emit/emitter.ts";
import { coreImage } from "../image/core.ts";
import type { Image } from "../image/image.ts";
import { libcAddress } from "../libc.ts";

/** Texts in native memory that machine code tells of handles that are none, by address; they must stay. */
export interface HandleTexts {
  /** What is said, for `dprintf`, with four `%s`: the command, its parameter, both once more. */
  readonly format: bigint;
  /** Names of commands, each with a NUL behind it, in 64 KiB. */
  readonly names: bigint;
  /** Names of parameters, likewise. */
  readonly parameters: bigint;
}

/** Reserves what an image's checks of handles go by. */
export function reserveChecks(code: Code): CheckSlots {
  const [sets, dprintf, abort, format, names, parameters] = Array.from({ length: 6 }, () => code.reserve());
  return { sets, dprintf, abort, format, names, parameters };
}

/** Fills it in once the image is loaded. */
export function connectChecks({ data }: Image, slots: CheckSlots, texts: HandleTexts): void {
  const values: Record<keyof CheckSlots, bigint> = {
    sets: coreImage()!.tablesAddress,
    dprintf: libcAddress("dprintf"),
    abort: libcAddress("abort"),
    ...texts,
  };
  for (const key of Object.keys(slots) as (keyof CheckSlots)[]) data.setBigUint64(slots[key], values[key], true);
}
