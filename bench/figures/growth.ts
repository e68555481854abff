import type { Figure } from "../figure.ts";
import { CALL_SUBJECTS } from "../growth/calls.ts";
import { FRAME_SUBJECTS } from "../growth/frames.ts";
import { MANY_SUBJECTS } from "../growth/many.ts";
import { OBJECT_SUBJECTS } from "../growth/objects.ts";
import { growthOf } from "../growth/subject.ts";
import type { Parts } from "../parts.ts";

/** Growth of costs with sizes: an exponent of 1 is a straight line, of 0 no growth. */
export async function growthFigures(parts: Parts): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const subject of [...CALL_SUBJECTS, ...OBJECT_SUBJECTS, ...FRAME_SUBJECTS, ...MANY_SUBJECTS]) {
    figures.push(await growthOf(subject, parts));
  }
  return figures;
}
