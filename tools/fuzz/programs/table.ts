import type { Row } from "./check.ts";

/** Returns the table of all programs, and a line for each thing that differs, is a gap or could not be recorded. */
export function tableLines(rows: readonly Row[]): string[] {
  const cells = [
    ["program", "reads", "pictures", "differing", "gaps", "seconds"],
    ...rows.map(({ name, reads, pictures, differing, gaps, seconds }) =>
      [name, reads, pictures, differing.length, gaps.length, seconds.toFixed(1)].map(String)
    ),
  ];
  const widths = cells[0].map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  const table = cells.map((row) =>
    row.map((cell, column) => column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column])).join("  ")
  );
  const said = rows.flatMap((row) => saidOf(row).map((each) => `${row.name}: ${each}`));
  return [...table, "", ...said, ...said.length > 0 ? [""] : [], sumLine(rows)];
}

function saidOf(row: Row): string[] {
  const { differing, gaps, trouble } = row;
  if (isSilent(row)) return ["it read no buffer and presented nothing, so that nothing is proven"];
  return [...differing, ...gaps, ...trouble === undefined ? [] : [`not recorded: ${trouble}`]];
}

/** Whether a recording was replayed, and had nothing to compare. */
function isSilent({ reads, pictures, differing, gaps, trouble }: Row): boolean {
  return reads + pictures + differing.length + gaps.length === 0 && trouble === undefined;
}

function sumLine(rows: readonly Row[]): string {
  const sum = (count: (row: Row) => number) => rows.reduce((sum, row) => sum + count(row), 0);
  return `${rows.length} programs: ${sum(({ reads }) => reads)} reads and ${
    sum(({ pictures }) => pictures)
  } pictures ` +
    `compared, ${sum(({ differing }) => Number(differing.length > 0))} with a difference that no gap names, ` +
    `${sum(({ gaps }) => Number(gaps.length > 0))} with a gap, ` +
    `${sum((row) => Number(isSilent(row)))} with nothing to compare, ` +
    `${sum(({ trouble }) => Number(trouble !== undefined))} not recorded`;
}

/** Whether every program has a recording, which gives what the program read and presented or names a gap. */
export function isGood(rows: readonly Row[]): boolean {
  return rows.every(({ differing, trouble }) => differing.length === 0 && trouble === undefined);
}
