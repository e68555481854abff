/** How many file descriptors this process has open. */
export function openFiles(): number {
  return [...Deno.readDirSync("/proc/self/fd")].length;
}

/** How many memory mappings this process has whose line contains `text`. */
export function mappings(text: string): number {
  return Deno.readTextFileSync("/proc/self/maps").split("\n").filter((line) => line.includes(text)).length;
}
