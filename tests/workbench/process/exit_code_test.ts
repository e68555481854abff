import { assertEquals } from "@std/assert";
import { NativeError, type NativeErrorCode } from "../../../ffi/error.ts";
import { DriverError, VulkanError } from "../../../loader/error.ts";
import { exitCodeOf } from "../../../workbench/process/exit_code.ts";
import { RecordingError, type RecordingErrorCode } from "../../../workbench/recordings/replay/error.ts";

/** The codes of files that are none of the kind that is asked for. */
const FILES: readonly NativeErrorCode[] = [
  ...["not-found", "not-a-file", "not-elf", "truncated", "wrong-class", "wrong-machine", "wrong-kind"] as const,
  "permission",
];
/** The codes of recordings that cannot be read or replayed anywhere. */
const RECORDINGS: readonly RecordingErrorCode[] = [
  ...["bad-line", "bad-version", "cut-off", "changed", "missing-bytes", "no-instance", "unsupported"] as const,
];

Deno.test("exitCodeOf() is 2 for a recording or a driver that is none, and 1 for one that fails", () => {
  for (const code of FILES) assertEquals(exitCodeOf(new NativeError(code, "…")), 2, code);
  for (const code of RECORDINGS) assertEquals(exitCodeOf(new RecordingError(code, 1, "…")), 2, code);
  for (const code of ["not-found", "bad-manifest"] as const) {
    assertEquals(exitCodeOf(new DriverError(code, "/a.json", "…")), 2, code);
  }
  const failing = [new RecordingError("failed", 1, "…"), new VulkanError("vkCreateDevice", -4), new Error("…")];
  assertEquals(failing.map(exitCodeOf), [1, 1, 1]);
});

Deno.test("exitCodeOf() is 2 for a refusal of the system, 1 where a file was begun, and that of the cause", () => {
  const refused = new Deno.errors.NotFound("…"), full = Object.assign(new Error("…"), { code: "ENOSPC" });
  const loop = Object.assign(new Error("…"), { code: "ELOOP" });
  assertEquals([refused, loop, full].map(exitCodeOf), [2, 2, 1]);
  assertEquals([refused, full].map((cause) => exitCodeOf(new Error("…", { cause }))), [2, 1]);
});
