import type { Outcome } from "./check.ts";

/** All outcomes together. */
export interface Summary {
  /** The first and the last seed. */
  readonly seeds: readonly [number, number];
  /** The number of programs. */
  readonly programs: number;
  /** The number of reads that were compared. */
  readonly reads: number;
  /** The number of programs with a finding. */
  readonly findings: number;
  /** The number of recordings that name each gap. */
  readonly gaps: Readonly<Record<string, number>>;
  /** The number of programs' uses of a feature, by name. */
  readonly features: Readonly<Record<string, number>>;
}

/** Most findings of a program that are told; those that follow mostly come from the first. */
const MOST = 3;

/** Adds outcomes up. */
export function summed(outcomes: readonly Outcome[], first: number, count: number): Summary {
  return {
    seeds: [first, first + count - 1],
    programs: outcomes.length,
    reads: outcomes.reduce((sum, { reads }) => sum + reads, 0),
    findings: outcomes.filter(({ findings }) => findings.length > 0).length,
    gaps: countsOf(outcomes.flatMap(({ gaps }) => [...new Set(gaps.map(kindOf))].map((gap) => [gap, 1]))),
    features: countsOf(outcomes.flatMap(({ features }) => Object.entries(features))),
  };
}

/** Returns what is found in one program; nothing for a recording that does not lie. */
export function findingLines({ seed, drivers, findings }: Outcome): string[] {
  if (findings.length === 0) return [];
  const more = findings.length > MOST ? [`and ${findings.length - MOST} more`] : [];
  return [`seed ${seed} (${drivers.join(", ")}):`, ...[...findings.slice(0, MOST), ...more].map((each) => `  ${each}`)];
}

/** Returns the lines about all programs. */
export function summaryLines({ seeds, programs, reads, findings, gaps, features }: Summary): string[] {
  const rows = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).sort().map(([name, count]) => `${count}`.padStart(7) + `  ${name}`);
  return [
    ...rows(features),
    ...Object.keys(gaps).length > 0 ? ["", "gaps:", ...rows(gaps)] : [],
    "",
    `${programs} programs, seeds ${seeds[0]} to ${seeds[1]}: ${reads} reads compared, ` +
    `${findings} with a difference that no gap names`,
  ];
}

/** A gap without the numbers of its objects. */
function kindOf(gap: string): string {
  return gap.replaceAll(/#?\b\d+\b/g, "…");
}

function countsOf(entries: readonly (readonly [string, number])[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [name, count] of entries) counts[name] = (counts[name] ?? 0) + count;
  return counts;
}
