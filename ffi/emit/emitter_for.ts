import { a64Emitter } from "./a64/emitter.ts";
import type { Emitter } from "./emitter.ts";
import { x64Emitter } from "./x64/emitter.ts";

/** An emitter for a machine as `Deno.build.arch` names it; `undefined` for one that has none. */
export function emitterFor(arch: string): Emitter | undefined {
  if (arch === "x86_64") return x64Emitter();
  return arch === "aarch64" ? a64Emitter() : undefined;
}
