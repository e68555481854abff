/** Two colours, between which texels lie. */
export type ColourPair = readonly [readonly number[], readonly number[]];

/** Returns the count of numbers that a kind of colours has. */
export const VALUES = (kind: number): number => 2 * ((kind >> 2) + 1);

/** Returns the colours of a kind, from its numbers; `undefined` for kinds of high dynamic range. */
export function colourPair(kind: number, v: readonly number[]): ColourPair | undefined {
  const scaled = (by: number) => v.slice(0, 3).map((each) => each * by >> 8);
  switch (kind) {
    case 0:
      return [grey(v[0]), grey(v[1])];
    case 1: {
      const low = v[0] >> 2 | v[1] & 0xc0;
      return [grey(low), grey(Math.min(255, low + (v[1] & 0x3f)))];
    }
    case 4:
      return [grey(v[0], v[2]), grey(v[1], v[3])];
    case 5: {
      const [[light, more], [alpha, moreAlpha]] = [moved(v[0], v[1]), moved(v[2], v[3])];
      return [grey(light, alpha), clamped(grey(light + more, alpha + moreAlpha))];
    }
    case 6:
      return [[...scaled(v[3]), 255], [...v.slice(0, 3), 255]];
    case 8:
    case 12:
      return direct(v, kind === 12 ? [v[6], v[7]] : [255, 255]);
    case 9:
    case 13:
      return moving(v, kind === 13 ? moved(v[6], v[7]) : [255, 0]);
    case 10:
      return [[...scaled(v[3]), v[4]], [...v.slice(0, 3), v[5]]];
  }
}

function grey(light: number, alpha = 255): number[] {
  return [light, light, light, alpha];
}

function direct(v: readonly number[], alphas: readonly number[]): ColourPair {
  const one = [v[0], v[2], v[4], alphas[0]], other = [v[1], v[3], v[5], alphas[1]];
  return v[1] + v[3] + v[5] >= v[0] + v[2] + v[4] ? [one, other] : [contracted(other), contracted(one)];
}

function moving(v: readonly number[], [alpha, moreAlpha]: readonly number[]): ColourPair {
  const pairs = [0, 2, 4].map((at) => moved(v[at], v[at + 1]));
  const one = [...pairs.map(([base]) => base), alpha];
  const other = [...pairs.map(([base, more]) => base + more), alpha + moreAlpha];
  const isUp = pairs.reduce((sum, [, more]) => sum + more, 0) >= 0;
  return isUp ? [clamped(one), clamped(other)] : [clamped(contracted(other)), clamped(contracted(one))];
}

/** Red and green in the middle of themselves and blue. */
function contracted([red, green, blue, alpha]: readonly number[]): number[] {
  return [red + blue >> 1, green + blue >> 1, blue, alpha];
}

/** A number of eight bits and a signed one of six, from a pair of eight each. */
function moved(base: number, offset: number): [number, number] {
  const more = offset >> 1 & 0x3f;
  return [base >> 1 | offset & 0x80, more & 0x20 ? more - 0x40 : more];
}

function clamped(colour: readonly number[]): number[] {
  return colour.map((each) => Math.max(0, Math.min(255, each)));
}
