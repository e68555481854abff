/** Returns the name closest to a misspelt one; `undefined` if none is close enough to be meant. */
export function closest(wrong: string, names: readonly string[]): string | undefined {
  const limit = Math.max(2, Math.floor(wrong.length / 3));
  let best: string | undefined, bestDistance = limit + 1;
  for (const name of names) {
    const distance = editDistance(wrong.toLowerCase(), name.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return best;
}

/** The Levenshtein distance: how many insertions, deletions and replacements turn one text into the other. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replace = row[j - 1] + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replace, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
  }
  return row[to.length];
}
