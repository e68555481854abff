import type { Code } from "../asm/code.ts";
import type { CheckSlots } from "../emit/emitter.ts";
import { coreImage } from "../image/core.ts";
import type { Image } from "../image/image.ts";
import { libcAddress } from "../libc.ts";

/** Texts in native memory for the messages about arguments that are not handles. The memory must stay. */
export interface HandleTexts {
  /** Address of the message for `dprintf`, with four `%s`: the command and its parameter, twice. */
  readonly format: bigint;
  /** Address of the names of commands, each with a NUL, within 64 KiB. */
  readonly names: bigint;
  /** Address of the names of parameters, in the same form. */
  readonly parameters: bigint;
}

/** Reserves the slots that an image's handle checks read. */
export function reserveChecks(code: Code): CheckSlots {
  const [sets, dprintf, abort, format, names, parameters] = Array.from({ length: 6 }, () => code.reserve());
  return { sets, dprintf, abort, format, names, parameters };
}

/** Fills the slots after the image is loaded. */
export function connectChecks({ data }: Image, slots: CheckSlots, texts: HandleTexts): void {
  const values: Record<keyof CheckSlots, bigint> = {
    sets: coreImage()!.tablesAddress,
    dprintf: libcAddress("dprintf"),
    abort: libcAddress("abort"),
    ...texts,
  };
  for (const key of Object.keys(slots) as (keyof CheckSlots)[]) data.setBigUint64(slots[key], values[key], true);
}
