import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { Unusable } from "../../workbench/process/exit_code.ts";
import { openPreset } from "../../cli/layers/presets.ts";
import { openRecording } from "../../cli/script/record.ts";

Deno.test("--layer=trace:FILE on a full disk says so and is not whole, and --record=FILE is refused with a sentence", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  const trace = await openPreset("trace:/dev/full", () => {});
  trace!.close!();
  assertEquals(trace!.isWhole!(), false);
  assertMatch(trace!.report!(), /^\/dev\/full: not written to the end: .*is the disk full\?$/);
  const process = { warn: () => {} } as never;
  assertThrows(() => openRecording("/dev/full", "program", process), Unusable);
});
