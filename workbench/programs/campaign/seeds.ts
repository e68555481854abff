/** Seeds that follow each other. */
export interface Seeds {
  readonly first: number;
  readonly count: number;
}

/** The seed behind the last one. */
export function endOf({ first, count }: Seeds): number {
  return first + count;
}

/** The number of seeds. */
export function countOf(all: readonly Seeds[]): number {
  return all.reduce((sum, { count }) => sum + count, 0);
}

/** Returns the same seeds in order, each once. */
export function joined(all: readonly Seeds[]): Seeds[] {
  const found: Seeds[] = [];
  for (const each of all.toSorted((one, other) => one.first - other.first)) {
    const last = found.at(-1);
    if (!last || endOf(last) < each.first) found.push(each);
    else found[found.length - 1] = from(last.first, Math.max(endOf(last), endOf(each)));
  }
  return found;
}

/** Returns the seeds that are not among others. */
export function without(all: readonly Seeds[], others: readonly Seeds[]): Seeds[] {
  return others.reduce<Seeds[]>(
    (left, other) =>
      left.flatMap((each) => [
        from(each.first, Math.min(endOf(each), other.first)),
        from(Math.max(each.first, endOf(other)), endOf(each)),
      ]).filter(({ count }) => count > 0),
    [...all],
  );
}

/** Cuts seeds into blocks of a most size. */
export function blocksOf(all: readonly Seeds[], size: number): Seeds[] {
  return all.flatMap(({ first, count }) =>
    Array.from({ length: Math.ceil(count / size) }, (_, block) => {
      return from(first + block * size, first + Math.min(count, (block + 1) * size));
    })
  );
}

function from(first: number, end: number): Seeds {
  return { first, count: end - first };
}
