import { type Column, packColumns } from "./instances.ts";
import { islandColumns, type IslandPlan, streamEnd, volcanoFoot } from "./island.ts";
import { randomNumbers } from "./random.ts";

const HOME: IslandPlan = {
  seed: 7,
  centre: [1.5, 6.2, 0],
  radius: 10.5,
  depth: 5.3,
  grain: 0.37,
  volcano: 8.2,
  trees: 0.5,
};

const NEIGHBOURS: IslandPlan[] = [
  { seed: 21, centre: [-17.5, 8.6, -9], radius: 4.0, depth: 4.2, grain: 0.36, volcano: 0, trees: 0.6 },
  { seed: 33, centre: [18.5, 4.6, -4], radius: 3.2, depth: 3.0, grain: 0.34, volcano: 0, trees: 0.6 },
  { seed: 45, centre: [25, 12.5, -14], radius: 4.8, depth: 5.0, grain: 0.45, volcano: 0, trees: 0.5 },
  { seed: 57, centre: [-11.5, 3.2, 5.5], radius: 1.7, depth: 1.8, grain: 0.27, volcano: 0, trees: 0.9 },
  { seed: 63, centre: [-32, 15, -42], radius: 6, depth: 6, grain: 0.6, volcano: 0, trees: 0.5 },
  { seed: 71, centre: [14.6, 1.5, 8.5], radius: 1.2, depth: 1.2, grain: 0.24, volcano: 0, trees: 1 },
];

/** The places where lava lights its surroundings: the crater and the foot of the stream. */
export function lavaPlaces(): [x: number, y: number, z: number, strength: number][] {
  const [x, z] = streamEnd(HOME);
  return [[...craterPlace(1.6), 15], [x + 0.1, 2.6, z + 1.0, 7]];
}

function craterPlace(above: number): [number, number, number] {
  const [x, z] = volcanoFoot(HOME);
  return [HOME.centre[0] + x, HOME.centre[1] + HOME.volcano * 0.55 + above, HOME.centre[2] + z];
}

/** Everything solid in the scene, ready for the instance buffer. */
export function worldInstances(): Float32Array<ArrayBuffer> {
  const islands = [HOME, ...NEIGHBOURS].flatMap(islandColumns);
  return packColumns([...islands, ...driftingStones(), ...embers(), ...smoke(), ...lavaFall(), ...steam()]);
}

/** Pumice that floats around the home island on a loose ring. */
function driftingStones(): Column[] {
  const random = randomNumbers(5);
  return Array.from({ length: 90 }, (): Column => {
    const angle = random() * Math.PI * 2, out = 11.5 + random() * random() * 9, size = 0.10 + 0.42 * random() ** 3;
    const pale = 0.45 + 0.3 * random();
    return {
      x: HOME.centre[0] + Math.cos(angle) * out,
      y: HOME.centre[1] - 3.6 + random() * 6 - 2 * random(),
      z: HOME.centre[2] + Math.sin(angle) * out * 0.8,
      radius: size,
      height: size * (1 + random()),
      head: 0.45 + 0.4 * random(),
      foot: 0.35 + 0.4 * random(),
      turn: random() * 3,
      colour: [pale, pale * 0.92, pale * 0.82],
      lean: [random() - 0.5, random() - 0.5],
      strata: 0.5,
      bob: 0.10 + 0.12 * random(),
    };
  });
}

/** Glowing stones thrown up by the crater. */
function embers(): Column[] {
  const random = randomNumbers(11);
  const [x, y, z] = craterPlace(0);
  return Array.from({ length: 60 }, (): Column => {
    const up = random() ** 1.6,
      angle = random() * Math.PI * 2,
      out = (0.3 + 1.9 * up) * random(),
      size = 0.05 + 0.11 * random();
    return {
      x: x + Math.cos(angle) * out + up * 0.8,
      y: y + 0.8 + up * 6,
      z: z + Math.sin(angle) * out,
      radius: size,
      height: size * 1.5,
      head: 0.6,
      foot: 0.5,
      turn: random() * 3,
      colour: [0.1, 0.08, 0.08],
      glow: 1.15 - 0.35 * up,
      lean: [random() - 0.5, random() - 0.5],
      bob: 0.15,
    };
  });
}

/** Ash that rises from the crater and leans with the wind. */
function smoke(): Column[] {
  const random = randomNumbers(17);
  const [x, y, z] = craterPlace(0);
  return Array.from({ length: 230 }, (): Column => {
    const up = random() ** 0.8, size = 0.22 + 1.1 * up * (0.30 + 0.70 * random());
    const angle = random() * Math.PI * 2, out = (0.35 + 1.5 * up) * Math.sqrt(random());
    const grey = 0.17 + 0.12 * random();
    return {
      x: x + Math.cos(angle) * out + 5.4 * up * up + 0.6 * up,
      y: y + 0.6 + up * 7.5,
      z: z + Math.sin(angle) * out - 1.5 * up,
      radius: size,
      height: size * 1.25,
      head: 0.55,
      foot: 0.55,
      turn: random() * 3,
      colour: [grey * 0.9, grey * 0.82, grey],
      lean: [random() - 0.5, random() - 0.5],
      strata: -1,
      bob: 0.1,
    };
  });
}

/** The stream that falls from the shore into the sea. */
function lavaFall(): Column[] {
  const random = randomNumbers(29);
  const [x, z] = streamEnd(HOME);
  return Array.from({ length: 7 }, (_, index): Column => {
    const radius = 0.06 + 0.09 * random(), top = HOME.centre[1] + 0.2 - 0.35 * random();
    return {
      x: x + [-0.34, -0.22, -0.12, 0, 0.1, 0.3, 0.52][index],
      y: -0.2,
      z: z + 0.1 + 0.25 * random(),
      radius,
      height: top,
      head: 0.9,
      foot: 1.25,
      turn: random() * 3,
      colour: [0.1, 0.08, 0.08],
      glow: 0.62 + 0.14 * random(),
      strata: -1,
    };
  });
}

/** Steam where the lava meets the sea. */
function steam(): Column[] {
  const random = randomNumbers(31);
  const [x, z] = streamEnd(HOME);
  return Array.from({ length: 26 }, (): Column => {
    const size = 0.14 + 0.34 * random(), out = 1.5 * Math.sqrt(random()), angle = random() * Math.PI * 2;
    return {
      x: x + Math.cos(angle) * out,
      y: -0.1 + 0.7 * random() * (1.5 - out),
      z: z + 0.3 + Math.sin(angle) * out * 0.7,
      radius: size,
      height: size * 1.2,
      head: 0.55,
      foot: 0.6,
      turn: random() * 3,
      colour: [0.62, 0.58, 0.60],
      lean: [random() - 0.5, random() - 0.5],
      strata: -1,
      bob: 0.06,
    };
  });
}
