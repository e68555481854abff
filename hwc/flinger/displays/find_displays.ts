import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import type { AsyncComposer } from "../../composer.ts";
import { ATTRIBUTE } from "../../device_types.ts";
import type { Rect } from "../../types.ts";
import { FlingerDisplay } from "./display.ts";
import { settle, type Work } from "../work.ts";

/** Makes a display of one that was plugged. */
export function* findDisplay(
  composer: AsyncComposer,
  id: bigint,
  isPrimary: boolean,
  forget: (buffer: GraphicBuffer) => void,
): Work<FlingerDisplay> {
  const name = yield* settle(composer.getDisplayName(id));
  const display = new FlingerDisplay({ id, name, isPrimary, forget, screen: EMPTY });
  yield* readConfig(composer, display, id);
  return display;
}

const EMPTY: Rect = { left: 0, top: 0, right: 0, bottom: 0 };

/** Reads a display's size and period, which may have changed. */
export function* readConfig(composer: AsyncComposer, display: FlingerDisplay, id: bigint): Work {
  const config = yield* settle(composer.getActiveConfig(id));
  const right = yield* settle(composer.getDisplayAttribute(id, config, ATTRIBUTE.WIDTH));
  const bottom = yield* settle(composer.getDisplayAttribute(id, config, ATTRIBUTE.HEIGHT));
  display.screen = { left: 0, top: 0, right, bottom };
  display.vsyncPeriod = BigInt(yield* settle(composer.getDisplayAttribute(id, config, ATTRIBUTE.VSYNC_PERIOD)));
  display.sayAgain();
}
