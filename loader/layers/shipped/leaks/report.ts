/** An object that was not destroyed. */
export interface LeakedObject {
  /** Its handle type. */
  readonly type: string;
  /** The handle. */
  readonly handle: bigint;
  /** The command that made it. */
  readonly command: string;
  /** What it belongs to: `"VkInstance"`, `"VkDevice"`, or `"loader"` for an instance. */
  readonly parent: string;
  /** The calls that made it, innermost first, without this library's own; none when native code alone was calling. */
  readonly stack: readonly string[];
}

/** What became of the objects so far. */
export interface LeakReport {
  /** Those that were still there when their instance or device was destroyed. */
  readonly leaked: readonly LeakedObject[];
  /** Those that are there now, and whose instance or device is. */
  readonly live: readonly LeakedObject[];
  /** Both as a table for a terminal: how many of what, and where they were made. */
  readonly text: string;
}

/** The table of a report: objects of a type that were made at one place share a row. */
export function leakText(leaked: readonly LeakedObject[], live: readonly LeakedObject[]): string {
  if (leaked.length + live.length === 0) return "no object was leaked, none is live";
  return [...section("leaked", leaked), ...section("live", live)].join("\n");
}

function section(state: string, objects: readonly LeakedObject[]): string[] {
  if (objects.length === 0) return [];
  const rows = new Map<string, { count: number; object: LeakedObject }>();
  for (const object of objects) {
    const key = [object.type, object.command, ...object.stack].join("\n"), row = rows.get(key);
    if (row) row.count++;
    else rows.set(key, { count: 1, object });
  }
  const sorted = [...rows.values()].sort((a, b) => b.count - a.count);
  const width = Math.max(...sorted.map(({ object }) => object.type.length));
  return [
    `${objects.length} ${state}`,
    ...sorted.map(({ count, object: { type, command, stack } }) =>
      `${`${count}`.padStart(6)} ${type.padEnd(width)}  ${command} ${stack[0] ?? "(native code)"}`
    ),
  ];
}
