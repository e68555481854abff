import type { ComposeLayer } from "../../backends/compose_layer.ts";
import { areaOf, intersect } from "../../planes/search/rect.ts";
import type { Rect } from "../../types.ts";
import type { OpenCard } from "../card/card.ts";
import type { AtomicState } from "../card/commit.ts";
import type { CardPlane } from "../card/facts.ts";

/** Size of `struct drm_mode_rect` of `drm_mode.h`. */
const RECT_SIZE = 16;
/** Pictures with more damaged rectangles count as damaged everywhere. */
const MOST_RECTS = 16;

/** The damage of the pictures in a commit: what the card need not read or send again stays as it is. */
export class DamageClips {
  readonly #card: OpenCard;
  #blobs: number[] = [];

  /** Has none yet. */
  constructor(card: OpenCard) {
    this.#card = card;
  }

  /**
   * Adds the damage of a picture whose plane showed the picture before at the same place. Adds nothing where the whole
   * picture may be damaged, which is what the kernel takes for granted.
   */
  add(state: AtomicState, plane: CardPlane, { damage = [] }: Pick<ComposeLayer, "damage">, whole: Rect): void {
    if (!plane.properties.FB_DAMAGE_CLIPS || damage.length === 0 || damage.length > MOST_RECTS) return;
    const clips = damage.map((rect) => intersect(rect, whole)).filter((rect) => areaOf(rect) > 0);
    if (clips.length === 0 || clips.some((rect) => areaOf(rect) === areaOf(whole))) return;
    const blob = this.#card.createBlob(bytesOf(clips));
    this.#blobs.push(blob);
    state.tell(plane, "FB_DAMAGE_CLIPS", blob);
  }

  /** After the commit: the kernel keeps what it needs. */
  free(): void {
    for (const blob of this.#blobs.splice(0)) this.#card.destroyBlob(blob);
  }
}

function bytesOf(clips: readonly Rect[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(RECT_SIZE * clips.length), view = new DataView(bytes.buffer);
  clips.forEach(({ left, top, right, bottom }, index) => {
    [left, top, right, bottom].forEach((value, at) => view.setInt32(RECT_SIZE * index + 4 * at, value, true));
  });
  return bytes;
}
