/** Finds what an installed loader exports, by name. */
let find: ((name: string) => bigint) | undefined;

/** Has a loader that is installed asked. */
export function exportBy(lookup: (name: string) => bigint): void {
  find = lookup;
}

/** The address that the installed loader exports a command at; 0n where none is installed or the command is not exported. */
export function exportedAddress(name: string): bigint {
  return find?.(name) ?? 0n;
}
