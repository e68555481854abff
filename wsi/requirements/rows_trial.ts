import { peek8, poke8 } from "../../ffi/machine.ts";
import { guardOthers } from "../buffer/memory.ts";
import { SOURCE } from "./image_trials.ts";
import { shows } from "./shown_frame.ts";
import { seen } from "../../loader/requirements/requirement.ts";
import type { Outcome } from "../../loader/requirements/verdict.ts";
import type { Trial } from "./trial.ts";
import type { TrialBench } from "./trial_bench.ts";

/** The rule that must hold before drawn pixels can be compared. */
export const RELEASE = "vulkan.native-buffer.release";
/** The initial value of each byte behind the last row. */
const UNTOUCHED = 0x5a;
/** The signals for access to memory that is not mapped. */
const FAULTS = /SIGSEGV|SIGBUS/;
const ROOM = "which gralloc must have room for";

/** VK33. The result helps only drivers of real phones, because gralloc here allocates whole blocks of rows. */
export const ROWS_TRIAL: Trial = {
  id: "VK33",
  rule: "vulkan.native-buffer.rows",
  needs: [RELEASE],
  requirement: "Nothing is read or written behind a buffer's last row: a phone's gralloc need not have room there.",
  source: SOURCE,
  check(bench) {
    const guarded = bench.mayDie ? touchesGuard(bench) : undefined;
    if (guarded && guarded.status !== "pass") return guarded;
    const written = writesBehind(bench);
    return guarded && written.status === "pass" ? guarded : written;
  },
  lost: (how) =>
    FAULTS.test(how)
      ? { status: "report", found: `memory behind the last row was read or written, ${ROOM}: ${how}` }
      : undefined,
};

/**
 * Checks with a page behind the last row whose access ends the process, in the buffer's own mapping and in those that
 * the driver has made of its file. Returns `undefined` if rows do not end with a page, or if an access would not be
 * seen.
 */
function touchesGuard(bench: TrialBench): Outcome | undefined {
  const shown = bench.images.makeGuarded();
  if (!shown) return undefined;
  using guards = guardOthers(shown.buffer.memory);
  const drawn = shows(bench, shown, "", "triangles");
  if (drawn.status !== "pass") return drawn;
  const isUnseen = guards.bare > 0 || bench.own === "driver" && guards.mappings === 0; // such a driver maps it later
  return isUnseen ? undefined : seen(true, "nothing behind the last row was read or written");
}

/** Checks without any risk for the process; finds only writers. */
function writesBehind(bench: TrialBench): Outcome {
  const shown = bench.images.make(), { memory, rowPitch, height } = shown.buffer, end = rowPitch * height;
  const size = memory.size - end;
  if (size === 0) return { status: "report", found: "not tried: the buffer ends with a page" };
  const behind = Array.from({ length: size }, (_, index) => memory.address + BigInt(end + index));
  for (const at of behind) poke8(at, UNTOUCHED);
  const drawn = shows(bench, shown, "", "triangles");
  if (drawn.status !== "pass") return drawn;
  const changed = behind.filter((at) => peek8(at) !== UNTOUCHED).length;
  if (changed === 0) return seen(true, "nothing behind the last row was written");
  return {
    status: "report",
    found: `${changed} bytes behind the last row were written, ${ROOM}`,
  };
}
