/** An object that was not destroyed. */
export interface LeakedObject {
  /** The handle type. */
  readonly type: string;
  /** The handle. */
  readonly handle: bigint;
  /** The command that created the object. */
  readonly command: string;
  /** The owner: `"VkInstance"`, `"VkDevice"`, or `"loader"` for an instance. */
  readonly parent: string;
  /**
   * The stack of the creation, innermost call first, without this library's own
   * calls. Empty if only native code was calling.
   */
  readonly stack: readonly string[];
}

/** The leaks and the live objects so far. */
export interface LeakReport {
  /** Objects that were left when their instance or device was destroyed. */
  readonly leaked: readonly LeakedObject[];
  /** Objects of live instances and devices. */
  readonly live: readonly LeakedObject[];
  /** Both lists as a table for a terminal: how many objects of which type, and where they were created. */
  readonly text: string;
}

/** Formats the table of a report. Objects of one type that were created at one place share a row. */
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
