/**
 * Ends Workers one after the other, and prints what each leaves in the process: those of the soak, and those that
 * have only made a callback, without Pumice.
 *
 * @module
 */
import { comeAndGo } from "../../bench/soak/activities.ts";
import { HELD, type Held, type Holdings, holdings } from "../../bench/soak/holdings.ts";

/** Workers of a kind before the first look, and between the two looks. */
const WARM = 8, COUNT = 16;
const BARE = `data:application/javascript,
  self.kept = new Deno.UnsafeCallback({ parameters: [], result: "void" }, () => {});
  self.onmessage = () => self.postMessage("done");`;

const [driver] = Deno.args;
console.log(JSON.stringify({ bare: await leftBy(BARE), ours: await leftBy() }));

async function leftBy(module?: string): Promise<Holdings> {
  await endMany(WARM, module);
  const before = holdings();
  await endMany(COUNT, module);
  const after = holdings(), held = Object.keys(HELD) as Held[];
  return Object.fromEntries(held.map((each) => [each, (after[each] - before[each]) / COUNT])) as Holdings;
}

async function endMany(count: number, module?: string): Promise<void> {
  for (let left = count; left > 0; left--) await comeAndGo(driver, module);
}
