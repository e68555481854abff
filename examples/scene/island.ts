import type { Colour, Column } from "./instances.ts";
import { randomNumbers, smoothNoise } from "./random.ts";

/** The plan of one floating island. Lengths are metres. */
export interface IslandPlan {
  /** Decides every detail. */
  seed: number;
  /** Middle of the plateau; y is its height above the sea. */
  centre: readonly [x: number, y: number, z: number];
  /** From the middle to the shore, on average. */
  radius: number;
  /** From the plateau down to the lowest tip. */
  depth: number;
  /** Radius of one column. */
  grain: number;
  /** Height of the volcano over the plateau; 0 for none. */
  volcano: number;
  /** Trees per column of meadow, 0 to 1. */
  trees: number;
}

const MEADOW: Colour[] = [[0.20, 0.24, 0.075], [0.26, 0.27, 0.085], [0.32, 0.28, 0.10], [0.16, 0.22, 0.085]];
const PUMICE: Colour[] = [[0.62, 0.56, 0.49], [0.50, 0.45, 0.41], [0.70, 0.64, 0.56]];
const BASALT: Colour[] = [[0.052, 0.047, 0.058], [0.074, 0.062, 0.070], [0.040, 0.036, 0.047]];
const FOREST: Colour[] = [[0.045, 0.095, 0.060], [0.060, 0.115, 0.055], [0.30, 0.125, 0.035], [0.36, 0.19, 0.045]];

/** Share of the way from the volcano's middle to its foot where the crater's rim stands. */
const RIM = 0.24;
/** The direction in which the lava leaves the crater, an angle from +x towards +z. */
const STREAM = 1.15;

/** The columns of one island, its trees included. */
export function islandColumns(plan: IslandPlan): Column[] {
  const random = randomNumbers(plan.seed);
  const noise = smoothNoise(plan.seed);
  const columns: Column[] = [];
  const step = plan.grain * Math.sqrt(3);
  const reach = Math.ceil((plan.radius * 1.4) / step);
  for (let r = -reach; r <= reach; r++) {
    for (let q = -reach; q <= reach; q++) {
      const x = step * (q + r / 2), z = plan.grain * 1.5 * r;
      columns.push(...cellColumns(plan, x, z, random, noise));
    }
  }
  return columns;
}

/** Returns the columns on one cell of the hexagonal grid: nothing outside the shore. */
function cellColumns(
  plan: IslandPlan,
  x: number,
  z: number,
  random: () => number,
  noise: (x: number, z: number) => number,
): Column[] {
  const out = Math.hypot(x, z) / shoreAt(plan, x, z, noise);
  const jitter = random(), pick = random(), chance = random();
  if (out > 1) return [];
  const ground = groundAt(plan, x, z, out, noise) + (jitter - 0.5) * 0.22 * plan.grain / 0.4;
  const keel = plan.depth * Math.pow(1 - out * out, 0.75) * (0.62 + 0.62 * noise(x * 0.9 / plan.grain * 0.4, z));
  const tip = -(keel + plan.grain * (0.6 + 2.4 * pick * pick));
  const lowest = 0.2 + 0.8 * pick - plan.centre[1];
  const foot = Math.min(Math.max(tip, lowest), ground - plan.grain);
  const [cx, cy, cz] = plan.centre;
  const { colour, glow } = surfaceAt(plan, x, z, ground, out, pick, noise);
  const body: Column = {
    x: cx + x,
    y: cy + foot,
    z: cz + z,
    radius: plan.grain * 0.985,
    height: ground - foot,
    foot: 0.30 + 0.5 * out,
    colour,
    glow,
    strata: BASALT.includes(colour) ? 0.08 : 1,
  };
  const wooded = glow === 0 && MEADOW.includes(colour) && out < 0.93 && chance < plan.trees * woodedness(x, z, noise);
  return wooded ? [body, ...tree(cx + x, cy + ground, cz + z, plan.grain, random)] : [body];
}

/** Trees stand in groves. */
function woodedness(x: number, z: number, noise: (x: number, z: number) => number): number {
  return noise(x * 0.45 + 9, z * 0.45 - 5) > 0.5 ? 1 : 0.12;
}

/** Height of the ground over the plateau: terraces near the shore, a cone with a crater in the middle. */
function groundAt(
  plan: IslandPlan,
  x: number,
  z: number,
  out: number,
  noise: (x: number, z: number) => number,
): number {
  const hills = Math.round((noise(x * 0.35, z * 0.35) * 1.7 - out * 1.1) / 0.38) * 0.38 * (plan.radius / 10);
  if (plan.volcano === 0) return hills;
  const t = volcanoShare(plan, x, z);
  if (t >= 1) return hills;
  const flank = plan.volcano * Math.pow(1 - t, 1.55) * (0.90 + 0.2 * noise(x * 1.1, z * 1.1));
  const top = plan.volcano * Math.pow(1 - RIM, 1.55);
  const inside = top * (t < RIM * 0.75 ? 0.80 : 0.93);
  const cone = t < RIM ? Math.min(inside, flank) : flank;
  return Math.max(hills * t, cone) - streamDepth(plan, x, z) * 0.45;
}

/** 0 in the crater's middle, 1 at the foot of the cone. The volcano stands a little off the middle. */
function volcanoShare(plan: IslandPlan, x: number, z: number): number {
  const [vx, vz] = volcanoFoot(plan);
  return Math.hypot(x - vx, z - vz) / (plan.radius * 0.66);
}

/** The place of the volcano, relative to the island's middle. */
export function volcanoFoot(plan: IslandPlan): [x: number, z: number] {
  return [plan.radius * 0.08, -plan.radius * 0.14];
}

/** 1 in the middle of the lava stream, 0 beside it. It winds down to the shore. */
function streamDepth(plan: IslandPlan, x: number, z: number): number {
  if (plan.volcano === 0) return 0;
  const [vx, vz] = volcanoFoot(plan);
  const angle = streamAngle(Math.hypot(x - vx, z - vz));
  const along = (x - vx) * Math.cos(angle) + (z - vz) * Math.sin(angle);
  const beside = Math.abs((z - vz) * Math.cos(angle) - (x - vx) * Math.sin(angle));
  if (along < 0) return 0;
  return beside < 0.70 ? 1 : 0;
}

/** The direction of the stream at a distance from the crater's middle, an angle from +x towards +z. */
function streamAngle(distance: number): number {
  return STREAM + 0.16 * Math.sin(distance * 0.9);
}

/** The place where the stream falls over the shore; x and z in the world. */
export function streamEnd(plan: IslandPlan): [x: number, z: number] {
  const noise = smoothNoise(plan.seed);
  const [vx, vz] = volcanoFoot(plan);
  for (let distance = 0;; distance += plan.grain / 2) {
    const x = vx + Math.cos(streamAngle(distance)) * distance, z = vz + Math.sin(streamAngle(distance)) * distance;
    if (Math.hypot(x, z) > shoreAt(plan, x, z, noise)) return [plan.centre[0] + x, plan.centre[2] + z];
  }
}

/** Distance from the middle to the shore in the direction of a place. */
function shoreAt(plan: IslandPlan, x: number, z: number, noise: (x: number, z: number) => number): number {
  return plan.radius * (0.72 + 0.56 * noise((x / plan.radius) * 1.7 + 40, (z / plan.radius) * 1.7));
}

function surfaceAt(
  plan: IslandPlan,
  x: number,
  z: number,
  ground: number,
  out: number,
  pick: number,
  noise: (x: number, z: number) => number,
): { colour: Colour; glow: number } {
  const choose = (colours: Colour[]) => colours[Math.floor(pick * colours.length)];
  if (plan.volcano > 0) {
    const t = volcanoShare(plan, x, z);
    if (t < RIM * 0.75) return { colour: choose(BASALT), glow: 1 };
    if (streamDepth(plan, x, z) > 0) return { colour: choose(BASALT), glow: 0.95 - 0.25 * t };
    if (t < 0.70 + 0.25 * noise(x * 0.8, z * 0.8)) return { colour: choose(BASALT), glow: 0 };
  }
  const bare = out > 0.95 || noise(x * 0.5 + 7, z * 0.5 + 3) > 0.80 || ground < -0.5;
  return { colour: choose(bare ? PUMICE : MEADOW), glow: 0 };
}

/** A trunk and three tapering crowns. */
function tree(x: number, y: number, z: number, grain: number, random: () => number): Column[] {
  const size = grain * (1.5 + 1.3 * random());
  const colour = FOREST[Math.floor(random() * FOREST.length)];
  const turn = random() * 2;
  const trunk: Column = { x, y, z, radius: size * 0.09, height: size * 0.45, colour: [0.09, 0.055, 0.04] };
  const crowns = [0, 1, 2].map((level): Column => ({
    x,
    y: y + size * (0.30 + 0.42 * level),
    z,
    radius: size * (0.46 - 0.11 * level),
    height: size * 0.58,
    head: 0.12,
    turn: turn + level * 0.5,
    colour,
  }));
  return [trunk, ...crowns];
}
