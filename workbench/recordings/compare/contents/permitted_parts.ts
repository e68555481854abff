import type { LooseBox } from "../tolerances/boxes.ts";
import type { PermittedDifferences } from "../tolerances/permitted_differences.ts";
import type { ComparedPiece } from "./piece.ts";

/** A box of a piece in which drivers have permitted difference. Of two boxes the later one counts. */
export interface LoosePart extends LooseBox {
  /** Index among the layers of the piece; 0 for buffers. */
  readonly layer: number;
}

/** Returns the boxes of a piece in which drivers have permitted difference. */
export function looseParts(
  { resource, image }: ComparedPiece,
  permittedDifferences: PermittedDifferences,
): LoosePart[] {
  if (!image) return permittedDifferences.ofBuffer(resource).map((each) => ({ ...each, layer: 0 }));
  return image.layers.flatMap((layer, index) =>
    permittedDifferences.ofImage(resource, image.level, layer, image.aspect).map((each) => ({ ...each, layer: index }))
  );
}
