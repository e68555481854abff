/** A point or a direction in the world. */
export type Vector = readonly [x: number, y: number, z: number];

/** Sixteen numbers, column after column. */
export type Matrix = number[];

/** The difference `a - b`. */
export function minus(a: Vector, b: Vector): Vector {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

/** `a` made `factor` times as long. */
export function times(a: Vector, factor: number): Vector {
  return [a[0] * factor, a[1] * factor, a[2] * factor];
}

/** The dot product. */
export function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/** The cross product; right-handed. */
export function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/** `a` made one unit long. */
export function normalize(a: Vector): Vector {
  return times(a, 1 / Math.sqrt(dot(a, a)));
}

/** The product `a * b`: `b` acts first. */
export function multiply(a: Matrix, b: Matrix): Matrix {
  return Array.from({ length: 16 }, (_, i) => {
    const row = i % 4, column = i - row;
    return a[row] * b[column] + a[row + 4] * b[column + 1] + a[row + 8] * b[column + 2] + a[row + 12] * b[column + 3];
  });
}

/** An orthonormal frame for looking along `forward`, with `up` as near to +y as can be. */
export function frameOf(forward: Vector): { right: Vector; up: Vector; forward: Vector } {
  const ahead = normalize(forward);
  const right = normalize(cross(ahead, [0, 1, 0]));
  return { right, up: cross(right, ahead), forward: ahead };
}

/** World to eye space: +x right, +y up, +z ahead of the eye. */
export function viewMatrix(eye: Vector, forward: Vector): Matrix {
  const { right: r, up: u, forward: f } = frameOf(forward);
  return [
    ...[r[0], u[0], f[0], 0],
    ...[r[1], u[1], f[1], 0],
    ...[r[2], u[2], f[2], 0],
    ...[-dot(r, eye), -dot(u, eye), -dot(f, eye), 1],
  ];
}

/** Eye space to Vulkan's clip space (y down, depth 0 at `near`, 1 at `far`). `halfWidth` and `halfHeight` are tangents. */
export function perspective(halfWidth: number, halfHeight: number, near: number, far: number): Matrix {
  const scale = far / (far - near);
  return [1 / halfWidth, 0, 0, 0, 0, -1 / halfHeight, 0, 0, 0, 0, scale, 1, 0, 0, -near * scale, 0];
}

/** Eye space to Vulkan's clip space without perspective: a square of `2 * half` metres, depth 0 to `far`. */
export function orthographic(half: number, far: number): Matrix {
  return [1 / half, 0, 0, 0, 0, -1 / half, 0, 0, 0, 0, 1 / far, 0, 0, 0, 0, 1];
}
