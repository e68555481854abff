import { cross, type Matrix, minus, normalize, type Vector as Triple } from "../scene/vectors.ts";

/** Changes nothing. */
export const IDENTITY: Matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** The view from `eye` towards `to`, upright. */
export function lookAt(eye: Triple, to: Triple): Matrix {
  const back = normalize(minus(eye, to)), right = normalize(cross([0, 1, 0], back)), up = cross(back, right);
  const away = (axis: Triple) => -(axis[0] * eye[0] + axis[1] * eye[1] + axis[2] * eye[2]);
  const columns = [0, 1, 2].flatMap((axis) => [right[axis], up[axis], back[axis], 0]);
  return [...columns, away(right), away(up), away(back), 1];
}

/** A perspective of `angle` radians from bottom to top. */
export function perspective(angle: number, aspect: number, near: number, far: number): Matrix {
  const scale = 1 / Math.tan(angle / 2), depth = near - far;
  return [
    ...[scale / aspect, 0, 0, 0, 0, scale, 0, 0],
    ...[0, 0, (far + near) / depth, -1, 0, 0, 2 * far * near / depth, 0],
  ];
}

/** Turns about the vertical by `angle` radians, scales, and moves. */
export function placed([x, y, z]: Triple, scale: number, angle: number): Matrix {
  const cosine = scale * Math.cos(angle), sine = scale * Math.sin(angle);
  return [cosine, 0, -sine, 0, 0, scale, 0, 0, sine, 0, cosine, 0, x, y, z, 1];
}
