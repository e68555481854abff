/** The cost of a file at each start: as much as this many bytes of code, measured with Deno 2.9. */
const FILE_COST = 12 << 10;
/** The same for a module of Node or of another package: too much to be read in vain, and it may not be there. */
const OTHERS_COST = 1 << 24;
/** The cost of a file that may be imported later, beside one that runs at once: Deno reads both at the start. */
const READ_ONLY = 0.3;
/** The weight of a module that is imported while programs run, beside one with which programs begin. */
const LATER = 0.1;

/** A file, and what it needs. */
export interface Weighed {
  /** Bytes. */
  readonly size: number;
  /** The files that run before this one, and modules that are not among the files. */
  readonly imports: readonly string[];
  /** Files that this one may import while it runs. */
  readonly later: readonly string[];
  /** Whether the file does something when it is imported, so that no program may read it in vain. */
  readonly isActive: boolean;
}

/** Files that become one. */
interface Group {
  readonly paths: readonly string[];
  readonly size: number;
  /** Whether other files may join. */
  readonly isOpen: boolean;
  /** Whether only files may join that exactly the same programs need. */
  readonly isActive: boolean;
  /** The groups that run before this one. */
  readonly needs: Set<Group>;
  /** The groups that this one may import while it runs, and those that it needs. */
  readonly leadsTo: Set<Group>;
}

/** The share of a group's cost that a program pays: less if the group may be imported later. */
type Reading = ReadonlyMap<Group, number>;

/**
 * Decides which files become one. Two files do if that saves more than it costs
 * over all programs: a program that needs both reads a file less, and one that
 * needs a single one of them also reads the other, with everything that the
 * other needs. Programs begin with `roots`. `mayJoin` names the files that may
 * be put together at all. No circle of imports comes to be.
 */
export function groups(
  files: ReadonlyMap<string, Weighed>,
  roots: readonly string[],
  mayJoin: (path: string) => boolean,
): string[][] {
  const later = new Set([...files.values()].flatMap(({ later }) => later).filter((path) => files.has(path)));
  const starts = new Map([
    ...[...later].map((path) => [path, LATER] as const),
    ...roots.map((path) => [path, 1] as const),
  ]);
  let all = single(files, mayJoin);
  for (;;) {
    const pair = bestPair(all, [...starts].map(([path, weight]) => readingOf(all, path, weight)));
    if (!pair) return all.filter(({ isOpen }) => isOpen).map(({ paths }) => [...paths].sort());
    all = together(all, pair);
  }
}

/** Each file, and each module that files import from elsewhere, as a group of its own. */
function single(files: ReadonlyMap<string, Weighed>, mayJoin: (path: string) => boolean): Group[] {
  const others = [...files.values()].flatMap(({ imports }) => imports).filter((path) => !files.has(path));
  const outside = others.map((path) => [path, emptyGroup(path, OTHERS_COST, false, false)] as const);
  const inside = [...files].map(([path, { size, isActive }]) =>
    [path, emptyGroup(path, size, mayJoin(path), isActive)] as const
  );
  const groups = new Map([...outside, ...inside]);
  for (const [path, { imports, later }] of files) {
    const { needs, leadsTo } = groups.get(path)!;
    for (const needed of imports) needs.add(groups.get(needed)!);
    for (const next of [...imports, ...later]) if (groups.has(next)) leadsTo.add(groups.get(next)!);
  }
  return [...groups.values()];
}

function emptyGroup(path: string, size: number, isOpen: boolean, isActive: boolean): Group {
  return { paths: [path], size, isOpen, isActive, needs: new Set(), leadsTo: new Set() };
}

function readingOf(all: readonly Group[], path: string, weight: number): Reading {
  const start = all.find(({ paths }) => paths.includes(path))!;
  const readOnly = [...reach(start, "leadsTo")].map((group) => [group, weight * READ_ONLY] as const);
  return new Map([...readOnly, ...[...reach(start)].map((group) => [group, weight] as const)]);
}

/** A group and all that it needs, directly or not; or likewise all that it leads to. */
function reach(group: Group, by: "needs" | "leadsTo" = "needs"): ReadonlySet<Group> {
  const reached = new Set([group]);
  for (const each of reached) for (const next of each[by]) reached.add(next);
  return reached;
}

/** The two groups that save most when they become one; `undefined` if nothing is saved any more. */
function bestPair(all: readonly Group[], readings: readonly Reading[]): readonly [Group, Group] | undefined {
  const open = all.filter(({ isOpen }) => isOpen), needed = open.map((group) => [...reach(group)]);
  const shares = open.map((group) => readings.map((reading) => reading.get(group) ?? 0));
  let best: readonly [Group, Group] | undefined, most = 0;
  for (const [index, one] of open.entries()) {
    for (let next = index + 1; next < open.length; next++) {
      const other = open[next];
      if ((one.isActive || other.isActive) && !isSame(shares[index], shares[next])) continue;
      let saved = savedBy(one, shares[index], other, shares[next]);
      if (saved <= most) continue;
      const both = [...needed[index], ...needed[next]].filter((group) => group !== one && group !== other);
      for (const reading of readings) saved -= readInVain(reading, one, other, both);
      if (saved > most && !isBetween(one, other)) [best, most] = [[one, other], saved];
    }
  }
  return best;
}

function isSame(shares: readonly number[], others: readonly number[]): boolean {
  return shares.every((share, index) => share === others[index]);
}

/**
 * Returns the bytes that programs save if two groups become one: a file, or less than nothing if they need one alone.
 */
function savedBy(one: Group, shares: readonly number[], other: Group, otherShares: readonly number[]): number {
  let saved = 0;
  for (let index = 0; index < shares.length; index++) {
    const ofOne = shares[index], ofOther = otherShares[index], ofBoth = Math.max(ofOne, ofOther);
    saved += (ofOne + ofOther - ofBoth) * FILE_COST - (ofBoth - ofOne) * one.size - (ofBoth - ofOther) * other.size;
  }
  return saved;
}

/** Returns the part of one group that a program reads in vain because it needs the other. */
function readInVain(reading: Reading, one: Group, other: Group, needed: readonly Group[]): number {
  const ofOne = reading.get(one) ?? 0, ofOther = reading.get(other) ?? 0, ofBoth = Math.max(ofOne, ofOther);
  if (ofOne === ofOther) return 0;
  return new Set(needed).values().reduce(
    (sum, group) => sum + Math.max(0, ofBoth - (reading.get(group) ?? 0)) * (group.size + FILE_COST),
    0,
  );
}

/**
 * Whether one group leads to the other through a third. The third would then
 * import a group that waits for it: a module may await an import while it runs.
 */
function isBetween(one: Group, other: Group): boolean {
  const leads = (from: Group, to: Group) =>
    [...from.leadsTo].some((next) => next !== to && reach(next, "leadsTo").has(to));
  return leads(one, other) || leads(other, one);
}

function together(all: readonly Group[], pair: readonly [Group, Group]): Group[] {
  const [one, other] = pair, rest = all.filter((group) => !pair.includes(group));
  const outside = (by: "needs" | "leadsTo") =>
    new Set([...one[by], ...other[by]].filter((next) => !pair.includes(next)));
  const both = {
    paths: [...one.paths, ...other.paths],
    size: one.size + other.size,
    isOpen: true,
    isActive: one.isActive || other.isActive,
    needs: outside("needs"),
    leadsTo: outside("leadsTo"),
  };
  for (const next of rest.flatMap(({ needs, leadsTo }) => [needs, leadsTo])) {
    const gone = pair.filter((group) => next.delete(group));
    if (gone.length > 0) next.add(both);
  }
  return [...rest, both];
}
