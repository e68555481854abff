import { assertEquals } from "@std/assert";
import { withHeartbeat } from "../../../../../workbench/recordings/compare/driver_process/heartbeat.ts";
import type { RecordedLine } from "../../../../../workbench/layers.ts";

Deno.test("withHeartbeat() gives a sign of life for each second, however long a recording is", () => {
  const lines = Array.from({ length: 100 }, (_, index): RecordedLine => ({ missing: `${index}` }));
  let time = 0, signs = 0;
  const recording = withHeartbeat({ lines, data: () => new Uint8Array() }, () => signs++, () => time);
  const seen = Array.from(recording.lines.entries(), ([index, line]) => {
    time += 101;
    return [index, line] as const;
  });
  assertEquals(seen, [...lines.entries()]);
  assertEquals(signs, 9);
});
