import type { LooseBox } from "../tolerances/boxes.ts";
import type { Leeways } from "../tolerances/leeways.ts";
import type { ComparedPiece } from "./piece.ts";

/** A box of a piece in which drivers have leeway. Of two boxes the later one counts. */
export interface LoosePart extends LooseBox {
  /** Index among the layers of the piece; 0 for buffers. */
  readonly layer: number;
}

/** Returns the boxes of a piece in which drivers have leeway. */
export function looseParts({ resource, image }: ComparedPiece, leeways: Leeways): LoosePart[] {
  if (!image) return leeways.ofBuffer(resource).map((each) => ({ ...each, layer: 0 }));
  return image.layers.flatMap((layer, index) =>
    leeways.ofImage(resource, image.level, layer, image.aspect).map((each) => ({ ...each, layer: index }))
  );
}
