import { passed } from "../../../loader/requirements/requirement.ts";
import type { Outcome } from "../../../loader/requirements/verdict.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { align, registerLayout } from "../../../wsi/buffer/layout.ts";
import { MODIFIER, modifierName } from "../../../wsi/buffer/modifier.ts";
import { tilingOf } from "../../../wsi/buffer/tiling.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import { showFrame, type ShownFrame } from "../frame.ts";
import { paint, type Rgb } from "../paint.ts";
import { GUIDE, type Probe } from "../probe.ts";
import type { ComposerSession } from "../session.ts";
import { byDevice } from "./layers.ts";

/** The two halves of a picture. A composer that takes tiles for rows shows one where the other belongs. */
const LEFT: Rgb = [255, 0, 0], RIGHT: Rgb = [0, 0, 255];
/** Several tiles across and down, whose widest rows have 512 bytes. */
const WIDTH = 256, HEIGHT = 64, BYTES = 4;
const ASKED = [MODIFIER.I915_X_TILED, MODIFIER.I915_Y_TILED];

/** S7: buffers whose pixels lie in tiles. */
export const TILE_PROBES: readonly Probe[] = [{
  id: "S7",
  rule: "composer.format.tiles",
  requirement: "A buffer in tiles shows the picture that it shows in rows, or is left to the client.",
  source: `${GUIDE}, requirements`,
  advice: "read a buffer as its modifier says, or leave the layer to the client",
  check: async (session) => {
    const outcomes: Outcome[] = [];
    for (const modifier of ASKED) outcomes.push(await shownAlike(session, modifier));
    return outcomes.find(({ status }) => status === "fail") ?? passed(outcomes.map(({ found }) => found).join("; "));
  },
}];

/** Shows a picture in rows, and then the same in tiles. */
async function shownAlike(session: ComposerSession, modifier: bigint): Promise<Outcome> {
  const words = modifierName(modifier), tiles = allocateTiled(session, modifier);
  if (tiles.modifier !== modifier) return passed(`the allocator makes no ${words}`);
  const rows = await show(session, session.allocate({ width: WIDTH, height: HEIGHT }));
  await session.clearLayers();
  const seen = await show(session, tiles), points = pointsOf(session);
  if (seen.changed > 0) return passed(`${words} are left to the client`);
  const expected = points.map(([x, y, color]) => [x, y, rows.pixel(x, y) ?? color] as const);
  return byDevice(seen, expected, `${words} are shown without the GPU, as rows are`);
}

function show(session: ComposerSession, buffer: GraphicBuffer): Promise<ShownFrame> {
  const middle = WIDTH / 2, { crop, frame } = partOf(session);
  paint(buffer, LEFT, 255, { left: 0, top: 0, right: middle, bottom: HEIGHT });
  paint(buffer, RIGHT, 255, { left: middle, top: 0, right: WIDTH, bottom: HEIGHT });
  return showFrame(session, [{ buffer, crop, frame }]);
}

/** The part that is shown as large as it is: around the middle, from the top. */
function partOf({ screen }: ComposerSession) {
  const right = Math.min(WIDTH, screen.right), bottom = Math.min(HEIGHT, screen.bottom), left = (WIDTH - right) >> 1;
  const crop = { left, top: 0, right: left + right, bottom };
  return { crop, frame: { left: 0, top: 0, right, bottom } };
}

/** Places in both halves, in rows of the upper and of the lower half of a tile. */
function pointsOf(session: ComposerSession): (readonly [x: number, y: number, color: Rgb])[] {
  const { right, bottom } = partOf(session).frame;
  return [1, 5, bottom - 1].flatMap((y) => [[1, y, LEFT] as const, [right - 2, y, RIGHT] as const]);
}

function allocateTiled(session: ComposerSession, modifier: bigint): GraphicBuffer {
  const rowPitch = align(WIDTH * BYTES, tilingOf(modifier)!.width);
  const rule = registerLayout(() => ({ rowPitch, size: 0, modifier }));
  try {
    const usage = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN | USAGE.COMPOSER_OVERLAY | rule.usage;
    return session.allocate({ width: WIDTH, height: HEIGHT, usage });
  } finally {
    rule.forget();
  }
}
