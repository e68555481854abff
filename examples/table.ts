/** Lines up columns under a heading; numbers go to the right. */
export function table(heading: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [heading, ...rows].map((row) => row.map(String));
  const widths = heading.map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  const right = heading.map((_, column) => rows.every((row) => typeof row[column] === "number"));
  const lines = cells.map((row) =>
    row.map((cell, column) => right[column] ? cell.padStart(widths[column]) : cell.padEnd(widths[column])).join("  ")
      .trimEnd()
  );
  lines.splice(1, 0, widths.map((width) => "─".repeat(width)).join("──"));
  return lines.join("\n");
}
