import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { openBlocks } from "../../../ffi/block.ts";
import { mappings, openFiles } from "../../support/open_files.ts";
import { Schedule, STEPS } from "./schedule.ts";

const NAMES = Object.keys(STEPS) as (keyof typeof STEPS)[];
/** Frames flow more often than anything is changed. */
const FLOW = ["dequeue", "queue", "queueLater", "acquire", "release", "releaseLater"] as const;

const step = fc.tuple(
  fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...FLOW) }, { weight: 1, arbitrary: fc.constantFrom(...NAMES) }),
  fc.nat(7),
);

function run(maxAcquired: number, steps: readonly (readonly [keyof typeof STEPS, number])[]): void {
  const schedule = new Schedule(maxAcquired);
  for (const [name, choice] of steps) schedule.step(name, choice);
  schedule.end();
}

const schedules = fc.tuple(fc.integer({ min: 1, max: 3 }), fc.array(step, { minLength: 20, maxLength: 60 }));

Deno.test("BufferQueue loses, doubles and reorders no frame in 1,000 random schedules, and closes every fence", () => {
  for (const [most, steps] of fc.sample(schedules, { numRuns: 20, seed: 1 })) run(most, steps); // binds what stays bound
  const before = [openFiles(), openBlocks(), mappings("gralloc")];
  fc.assert(
    fc.property(schedules, ([most, steps]) => {
      const blocks = openBlocks();
      run(most, steps);
      assertEquals(openBlocks(), blocks, "open blocks");
    }),
    { numRuns: 1000 },
  );
  assertEquals([openFiles(), openBlocks(), mappings("gralloc")], before, "open files, blocks and mappings");
});
