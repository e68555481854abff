import type { Step } from "./plan.ts";
import { sizeOfName } from "./sizes.ts";
import { GL_AMBIENT_AND_DIFFUSE, GL_COLOR } from "../gen/gl_constants_gen.js";

/** Values for each unit of the parameters that lengths follow from without being them. */
const FACTORS: Readonly<Record<string, number>> = { count: 4, numBufferBarriers: 1, numTextureBarriers: 1 };

/** Whether an array tells its own length. */
export function isCounted(steps: readonly Step[], { by }: Step): boolean {
  return by !== undefined && steps[by.index].role === "count";
}

/** How many elements a command reads of an array at least, by the values of its other parameters; 0 where nothing tells. */
export function leastOf(steps: readonly Step[], step: Step, values: readonly (number | bigint)[]): number {
  const { len, by } = step;
  if (isCounted(steps, step)) return 0;
  if (/^\d+$/.test(len)) return Number(len);
  if (by) return Number(values[by.index]) * by.factor;
  const name = len.slice(1), value = Number(values[steps.findIndex((each) => each.name === name)]);
  if (name === "pname") return value === GL_AMBIENT_AND_DIFFUSE ? 4 : sizeOfName(value) || 1;
  if (name === "buffer") return value === GL_COLOR ? 4 : 1;
  return name in FACTORS ? value * FACTORS[name] : 0;
}
