/** Returns the address of an installed loader's export, by name. */
let find: ((name: string) => bigint) | undefined;

/** Sets the lookup of an installed loader. */
export function exportBy(lookup: (name: string) => bigint): void {
  find = lookup;
}

/**
 * Returns the address at which the installed loader exports a command; 0n if
 * none is installed or the command is not exported.
 */
export function exportedAddress(name: string): bigint {
  return find?.(name) ?? 0n;
}
