import { assertEquals } from "@std/assert";
import { Lookout } from "../../../../workbench/layer_server/server/lookout.ts";

/** Returns the longest looks after sleeps of so many milliseconds, one after the other. */
function lengths(...sleeps: number[]): number[] {
  const lookout = new Lookout();
  return sleeps.map((each) => {
    lookout.slept(each);
    return lookout.longest;
  });
}

Deno.test("Lookout sees that a word differs, and looks at one that does not for a while only", () => {
  const words = new Int32Array([7, 7]), lookout = new Lookout();
  assertEquals([lookout.look(words, 1, 8), lookout.look(words, 1, 7)], [true, false]);
});

Deno.test("Lookout looks long once news came soon after the sleep began", () => {
  assertEquals([new Lookout().longest, ...lengths(0.05)], [0.02, 0.2]);
});

Deno.test("Lookout looks ever shorter while no news come, so that a thread that waits for a program at rest sleeps", () => {
  assertEquals(lengths(0.05, 100, 100, 100, 100, 100), [0.2, 0.1, 0.05, 0.025, 0.02, 0.02]);
});

Deno.test("Lookout looks short for a while where long looks are in vain and news come soon after", () => {
  const inVain = [0.05, 0.05, 0.05], from = [0.2, 0.2 / 2, 0.02];
  assertEquals(lengths(...inVain, 0.05, 0.05), [...from, 0.02, 0.2], "one sleep");
  assertEquals(lengths(...inVain, 0.05, ...inVain, 0.05, 0.05, 0.05, 0.05).slice(6), [0.02, 0.02, 0.02, 0.02, 0.2]);
});
