import type { Comparison } from "./measure.ts";

/**
 * Measures something in a process of its own, where this loader is installed in
 * the place of the system's: "call" is an exported command of this loader and
 * the system's, called from C; "layer" is a command with a TypeScript layer on
 * it and without, called from C; "mixed" is many of them in random order;
 * "device" and "instance" are all device commands asked for from C, of this
 * loader and the system's; "startup" is an instance and a device made from C by
 * both, each of which looks for the driver.
 */
export function measureNative(
  what: "call" | "layer" | "mixed" | "device" | "instance" | "startup",
  driver: string,
): Comparison {
  const program = new URL("native_program.ts", import.meta.url).pathname;
  const { success, stdout } = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-check",
      "--no-prompt",
      "--allow-ffi",
      "--allow-read",
      "--allow-write",
      "--allow-env",
      "--allow-run",
      program,
      what,
      driver,
    ],
    stderr: "inherit",
  }).outputSync();
  if (!success) throw new Error(`Cannot measure "${what}": bench/native_program.ts failed`);
  return JSON.parse(new TextDecoder().decode(stdout));
}
