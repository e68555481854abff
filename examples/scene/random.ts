/** Numbers from 0 up to 1, the same ones for the same seed on every machine (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Smooth noise over the plane, 0 to 1, with features about one unit wide. */
export function smoothNoise(seed: number): (x: number, z: number) => number {
  const corner = (x: number, z: number) => {
    let hash = Math.imul(x, 0x9e3779b1) ^ Math.imul(z, 0x85ebca77) ^ Math.imul(seed, 0xc2b2ae3d);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
    return ((hash ^ (hash >>> 15)) >>> 0) / 4294967296;
  };
  const soft = (t: number) => t * t * (3 - 2 * t);
  return (x, z) => {
    const left = Math.floor(x), back = Math.floor(z), across = soft(x - left), along = soft(z - back);
    const near = corner(left, back) * (1 - across) + corner(left + 1, back) * across;
    const far = corner(left, back + 1) * (1 - across) + corner(left + 1, back + 1) * across;
    return near * (1 - along) + far * along;
  };
}
