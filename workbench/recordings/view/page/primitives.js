// Vertices of a draw as points, lines and triangles.

/** The primitives of each VkPrimitiveTopology; those behind the last are made by shaders. */
const KINDS = ["points", "lines", "line strip", "triangles", "strip", "fan"];

/**
 * Returns the edges between vertices, as pairs of places in the order of the draw; none for points, and for patches and
 * neighbours, whose shaders make the primitives. A place in `ends` ends a strip.
 */
export function edgesOf(topology, count, ends = new Set(), most = Infinity) {
  const edges = [],
    kind = KINDS[topology],
    add = (...places) => {
      for (const [at, place] of places.entries()) {
        const next = places[(at + 1) % places.length];
        if (places.length > 2 || at === 0) edges.push([place, next]);
      }
    };
  if (kind === "lines") { for (let at = 0; at + 1 < count && edges.length < most; at += 2) add(at, at + 1); }
  if (kind === "triangles") {
    for (let at = 0; at + 2 < count && edges.length < most; at += 3) {
      add(at, at + 1, at + 2);
    }
  }
  if (!["line strip", "strip", "fan"].includes(kind)) return edges;
  for (let begin = 0, at = 0; at < count && edges.length < most; at++) {
    if (ends.has(at)) begin = at + 1;
    else if (kind === "line strip" && at > begin) add(at - 1, at);
    else if (kind !== "line strip" && at > begin + 1) add(kind === "fan" ? begin : at - 2, at - 1, at);
  }
  return edges;
}

/** Turns points around their middle, and fits them into a square from -1 to 1. Points that are no numbers stay `undefined`. */
export function turned(points, yaw, pitch) {
  const known = points.filter((each) => each?.every(Number.isFinite));
  if (known.length === 0) return points.map(() => undefined);
  const limits = [0, 1, 2].map((axis) => {
    let low = Infinity, high = -Infinity;
    for (const point of known) [low, high] = [Math.min(low, point[axis]), Math.max(high, point[axis])];
    return [low, high];
  });
  const middle = limits.map(([low, high]) => low / 2 + high / 2);
  const size = Math.hypot(...limits.map(([low, high]) => high - low)) / 2 || 1;
  const [sine, cosine, rise, run] = [Math.sin(yaw), Math.cos(yaw), Math.sin(pitch), Math.cos(pitch)];
  return points.map((point) => {
    if (!point?.every(Number.isFinite)) return undefined;
    const [x, y, z] = point.map((value, axis) => (value - middle[axis]) / size);
    const across = x * cosine + z * sine, deep = z * cosine - x * sine;
    return [across, y * run - deep * rise, y * rise + deep * run];
  });
}
