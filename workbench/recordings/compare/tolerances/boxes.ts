import { isSame, type PermittedDifference, textOf } from "./permitted_difference.ts";

/** A place: x, y and z, in blocks of texels. In a buffer x counts bytes. */
export type Point = readonly [number, number, number];

/** A box from a place to the place behind its last one. */
export interface Box {
  readonly from: Point;
  readonly to: Point;
}

/** A box in which drivers have permitted difference. */
export interface LooseBox extends Box {
  readonly permitted: PermittedDifference;
  /** In a buffer: offset of the first byte of some unit, less whole units. */
  readonly phase: number;
}

const AXES = [0, 1, 2] as const;
/** The most boxes: more become one for each permitted difference, around all of them. */
const MOST = 1024;

/** The boxes of one slice of an image, or of a buffer, in which drivers have permitted difference. No two overlap. */
export class Boxes {
  #all: LooseBox[] = [];

  /** All boxes. */
  get all(): readonly LooseBox[] {
    return this.#all;
  }

  /** Gives permitted difference in a box, in place of what was there. */
  add(box: LooseBox): void {
    if (isEmpty(box) || this.#all.some((each) => isInside(box, each) && isAlike(each, box))) return;
    this.remove(box);
    const last = this.#all.at(-1), joined = last && isAlike(last, box) ? joint(last, box) : undefined;
    if (joined) this.#all[this.#all.length - 1] = { ...box, ...joined };
    else this.#all.push(box);
    if (this.#all.length > MOST) this.#all = around(this.#all);
  }

  /** Takes all permitted difference from a box. */
  remove(box: Box): void {
    if (!this.#all.some((each) => isMeeting(each, box))) return;
    this.#all = this.#all.flatMap((each) => isMeeting(each, box) ? rest(each, box) : each);
  }

  /** Returns what lies in a box. */
  within(box: Box): LooseBox[] {
    return this.#all.filter((each) => isMeeting(each, box)).map((each) => ({ ...each, ...shared(each, box) }));
  }
}

/** Whether a place is in a box. */
export function isIn([x, y, z]: Point, { from, to }: Box): boolean {
  return x >= from[0] && x < to[0] && y >= from[1] && y < to[1] && z >= from[2] && z < to[2];
}

/** A box that is moved. */
export function moved<B extends Box>(box: B, by: Point): B {
  const [from, to] = [box.from, box.to].map((point) => point.map((each, axis) => each + by[axis]) as unknown as Point);
  return { ...box, from, to };
}

function isEmpty({ from, to }: Box): boolean {
  return AXES.some((axis) => from[axis] >= to[axis]);
}

function isMeeting({ from, to }: Box, other: Box): boolean {
  return from[0] < other.to[0] && other.from[0] < to[0] && from[1] < other.to[1] && other.from[1] < to[1] &&
    from[2] < other.to[2] && other.from[2] < to[2];
}

function isInside({ from, to }: Box, outer: Box): boolean {
  return AXES.every((axis) => from[axis] >= outer.from[axis] && to[axis] <= outer.to[axis]);
}

function isAlike(one: LooseBox, other: LooseBox): boolean {
  return one.phase === other.phase && isSame(one.permitted, other.permitted);
}

function shared(one: Box, other: Box): Box {
  return {
    from: AXES.map((axis) => Math.max(one.from[axis], other.from[axis])) as unknown as Point,
    to: AXES.map((axis) => Math.min(one.to[axis], other.to[axis])) as unknown as Point,
  };
}

/** Returns the rest of a box without another one: two boxes at most on each axis. */
function rest(box: LooseBox, without: Box): LooseBox[] {
  const left: LooseBox[] = [];
  let middle = box;
  for (const axis of AXES) {
    const { from, to } = shared(middle, without);
    left.push({ ...middle, to: put(middle.to, axis, from[axis]) });
    left.push({ ...middle, from: put(middle.from, axis, to[axis]) });
    middle = { ...middle, from: put(middle.from, axis, from[axis]), to: put(middle.to, axis, to[axis]) };
  }
  return left.filter((each) => !isEmpty(each));
}

function put(point: Point, axis: number, value: number): Point {
  return point.map((each, index) => index === axis ? value : each) as unknown as Point;
}

/** Returns the box of two boxes side by side; undefined if together they are none. */
function joint(one: Box, other: Box): Box | undefined {
  const apart = AXES.filter((axis) => one.from[axis] !== other.from[axis] || one.to[axis] !== other.to[axis]);
  if (apart.length !== 1) return undefined;
  const [axis] = apart;
  if (one.to[axis] === other.from[axis]) return { from: one.from, to: other.to };
  return other.to[axis] === one.from[axis] ? { from: other.from, to: one.to } : undefined;
}

/** One box around those of each permitted difference. Those of undefined contents come last: they win. */
function around(boxes: readonly LooseBox[]): LooseBox[] {
  const groups = Object.groupBy(boxes, ({ permitted, phase }) => `${textOf(permitted)} ${phase}`);
  const wide = Object.values(groups).map((group) => group!.reduce((one, other) => ({ ...one, ...hull(one, other) })));
  return wide.sort((one, other) =>
    Number(one.permitted.is === "undefined") - Number(other.permitted.is === "undefined")
  );
}

function hull(one: Box, other: Box): Box {
  return {
    from: AXES.map((axis) => Math.min(one.from[axis], other.from[axis])) as unknown as Point,
    to: AXES.map((axis) => Math.max(one.to[axis], other.to[axis])) as unknown as Point,
  };
}
