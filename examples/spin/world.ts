import type { Column } from "../scene/instances.ts";
import { islandColumns } from "../scene/island.ts";
import { randomNumbers } from "../scene/random.ts";

/** The columns of a small island with a volcano, and of stones that drift around it; the middle is over the origin. */
export function spinningColumns(): Column[] {
  const island = islandColumns({
    seed: 58,
    centre: [0, 2.6, 0],
    radius: 3.1,
    depth: 2.2,
    grain: 0.38,
    volcano: 2.9,
    trees: 0.4,
  });
  return [...island, ...driftingStones()];
}

/** Pumice on a loose ring. */
function driftingStones(): Column[] {
  const random = randomNumbers(5);
  return Array.from({ length: 16 }, (): Column => {
    const angle = random() * Math.PI * 2, out = 3.9 + 1.7 * random(), radius = 0.06 + 0.22 * random() ** 2;
    const pale = 0.45 + 0.3 * random();
    return {
      x: Math.cos(angle) * out,
      y: 0.9 + 2.6 * random(),
      z: Math.sin(angle) * out,
      radius,
      height: radius * (1 + random()),
      head: 0.45 + 0.4 * random(),
      foot: 0.35 + 0.4 * random(),
      turn: random() * 3,
      colour: [pale, pale * 0.92, pale * 0.82],
      strata: 0.4,
    };
  });
}
