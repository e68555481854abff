import { assert, assertEquals } from "@std/assert";
import { SteppingClock } from "../../../../hwc/core/time/stepping_clock.ts";

const SECOND = 1_000_000_000n;

Deno.test("SteppingClock stands while it is paused, and does what is due when it is stepped", () => {
  const clock = new SteppingClock(), done: string[] = [];
  clock.pause();
  clock.pause();
  const start = clock.now();
  clock.at(start + 2n * SECOND, () => done.push("second"));
  clock.at(start + SECOND, () => {
    done.push("first");
    clock.at(clock.now() + SECOND / 2n, () => done.push("between"));
  });
  const cancel = clock.at(start + SECOND, () => done.push("never"));
  cancel();
  assertEquals([clock.now(), clock.sleep(1n), clock.isPaused], [start, false, true]);
  clock.step(SECOND);
  assertEquals(done, ["first"]);
  clock.step(SECOND);
  assertEquals([done, clock.now() - start], [["first", "between", "second"], 2n * SECOND]);
});

Deno.test("SteppingClock goes on in the present, and never back", async () => {
  const clock = new SteppingClock(), rung = Promise.withResolvers<bigint>();
  const before = clock.now();
  clock.resume(); // it goes already
  clock.at(before + 20_000_000n, () => rung.resolve(clock.now()));
  clock.pause();
  assert(clock.sleep(0n) === false);
  clock.step(10_000_000n);
  clock.resume();
  assertEquals([clock.isPaused, clock.sleep(0n)], [false, true]);
  assert(await rung.promise >= before + 20_000_000n);
  clock.step(60n * SECOND); // far ahead of real time
  const ahead = clock.now();
  clock.resume();
  assert(clock.now() >= ahead);
  const next = Promise.withResolvers<void>();
  clock.at(ahead + 1_000_000n, next.resolve);
  await next.promise;
});
