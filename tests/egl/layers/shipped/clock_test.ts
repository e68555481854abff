import { assert, assertEquals } from "@std/assert";
import type { GlesLayer } from "../../../../egl/mod.ts";
import { glesApiProfile, glesApiTrace, type GlesTraceLine } from "../../../../workbench/gles_layers.ts";

/** Calls a layer's hook of glFinish with what takes no time below it, while no operation of Deno's may tell the time. */
function calledWithoutOperations({ anyCommand }: GlesLayer): void {
  const hook = anyCommand!("glFinish", undefined!)!, { now } = performance;
  performance.now = () => {
    throw new Error("an operation of Deno's was called inside a hook");
  };
  try {
    for (let call = 0; call < 3; call++) hook.call(undefined!, () => undefined);
  } finally {
    performance.now = now;
  }
}

Deno.test("glesApiProfile() takes the time by the C library's clock, which may be asked inside every callback", () => {
  const profile = glesApiProfile();
  calledWithoutOperations(profile.layer);
  const [{ command, calls, milliseconds }] = profile.rows();
  assertEquals([command, calls], ["glFinish", 3]);
  assert(milliseconds >= 0 && milliseconds < 60_000, `${milliseconds} ms`);
});

Deno.test("glesApiTrace() takes the time by the C library's clock, which may be asked inside every callback", () => {
  const lines: GlesTraceLine[] = [];
  using trace = glesApiTrace({ write: (line) => lines.push(JSON.parse(line)) });
  calledWithoutOperations(trace.layer);
  assertEquals(lines.map(({ command, threw }) => [command, threw]), Array(3).fill(["glFinish", undefined]));
  assert(lines.every(({ us }) => Number.isInteger(us) && us >= 0));
});
