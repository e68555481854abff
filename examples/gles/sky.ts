import { Mesh, type Triple } from "./mesh.ts";

const TOP: Triple = [0.16, 0.2, 0.42], MIDDLE: Triple = [0.62, 0.42, 0.52], HORIZON: Triple = [0.98, 0.72, 0.5];
const DEEP: Triple = [0.14, 0.24, 0.42];
const GLOW: Triple = [1, 0.82, 0.55], SUN: Triple = [1, 0.95, 0.82];
/** The place of the sun in the picture, its width for a height of 1, and the number of its segments. */
const AT = [-0.52, 0.5] as const, FLAT = 9 / 16, SEGMENTS = 56;

/** The sky with the sun, in clip space, behind everything. */
export function backdrop(): Float32Array<ArrayBuffer> {
  const mesh = new Mesh();
  band(mesh, [-1, DEEP], [0.125, HORIZON]);
  band(mesh, [0.125, HORIZON], [0.3, HORIZON]);
  band(mesh, [0.3, HORIZON], [0.62, MIDDLE]);
  band(mesh, [0.62, MIDDLE], [1, TOP]);
  for (const [radius, inside] of [[0.75, 0.34], [0.36, 0.4]]) disc(mesh, { radius, color: GLOW, inside, outside: 0 });
  disc(mesh, { radius: 0.135, color: SUN, inside: 1, outside: 1 });
  return mesh.vertices;
}

function band(mesh: Mesh, [low, below]: [number, Triple], [high, above]: [number, Triple]): void {
  const corners: [number, number, Triple][] = [[-1, low, below], [1, low, below], [1, high, above], [-1, high, above]];
  for (const index of [0, 1, 2, 0, 2, 3]) {
    const [x, y, color] = corners[index];
    mesh.point([x, y, 0.999], color);
  }
}

/** A disc whose alpha goes from the middle to the rim. */
function disc(mesh: Mesh, disc: { radius: number; color: Triple; inside: number; outside: number }): void {
  const { radius, color, inside, outside } = disc;
  const rim = (segment: number): Triple => {
    const angle = 2 * Math.PI * segment / SEGMENTS;
    return [AT[0] + FLAT * radius * Math.cos(angle), AT[1] + radius * Math.sin(angle), 0.999];
  };
  for (let segment = 0; segment < SEGMENTS; segment++) {
    mesh.point([AT[0], AT[1], 0.999], color, inside);
    mesh.point(rim(segment), color, outside);
    mesh.point(rim(segment + 1), color, outside);
  }
}
