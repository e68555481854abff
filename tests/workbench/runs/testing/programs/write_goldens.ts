/**
 * Writes golden pictures of many names, in step with another process that writes the same names for another test, and
 * prints the error of each name, or `null`.
 *
 * @module
 */
import { compareWithGolden } from "../../../../../workbench/runs/testing/golden.ts";

const [folder, test, red, count] = Deno.args;
const owner = { test, file: "a_test.ts", beside: folder };
const place = {
  folder: `${folder}/goldens`,
  output: `${folder}/out`,
  driver: "mine",
  update: true,
  leads: true,
  owner,
};
const picture = { width: 64, height: 64, data: new Uint8Array(4 * 64 * 64).fill(Number(red)) };

const answers = Deno.stdin.readable.getReader(), told: (string | null)[] = [];
for (let name = 0; name < Number(count); name++) {
  console.log("ready");
  await answers.read(); // the test lets both go on at one moment
  told.push(errorOf(() => compareWithGolden(place, `${name}`, picture)));
}
console.log(JSON.stringify(told));
await answers.cancel();

function errorOf(act: () => void): string | null {
  try {
    act();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
