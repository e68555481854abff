import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { dumpGenerated, generated, generatedMaker, inTurn } from "../../ffi/generated_code.ts";
import { invokeAddress } from "../../ffi/invoke.ts";
import { createThunk } from "../../ffi/thunk/thunk.ts";
import { withFolder } from "../support/temporary.ts";

Deno.test("generated() gives a body its scope, and names it in stack traces", () => {
  assertEquals(generated("return left + right;", { left: 40, right: 2 }, "sum"), 42);
  const fail = generated("return function fail() { throw new Error(text); };", { text: "oh" }, "test/fail of:it");
  try {
    (fail as () => void)();
    assert(false, "nothing was thrown");
  } catch (error) {
    assertStringIncludes((error as Error).stack!, "pumice/test/fail_of_it");
  }
});

Deno.test("generatedMaker() makes one text for several values, taken apart where the names say so", () => {
  const add = generatedMaker(["{ left, right }"], "return left + right;", "add");
  assertEquals([add({ left: 1, right: 2 }), add({ left: 3, right: 4 })], [3, 7]);
});

Deno.test("dumpGenerated() writes each source under its title, until it is told to stop", () => {
  withFolder((folder) => {
    const directory = `${folder}/deep`;
    try {
      dumpGenerated(directory);
      generated("return one;", { one: 1 }, "test/first");
      generated("return two;", { two: 2 }, "test/first");
      const thunk = createThunk("d:sfqd", (_s, f) => f as number);
      assertEquals(invokeAddress(thunk.address, "d:sfqd", [1, 0.5, 2n, 3]), 0.5);
      thunk.free();
      dumpGenerated(undefined);
      generated("return 3;", {}, "test/second");
    } finally {
      dumpGenerated(undefined);
    }
    const files = [...Deno.readDirSync(`${directory}/test`)].map(({ name }) => name).toSorted();
    assertEquals(files, ["first-2.js", "first.js"]);
    assertEquals(Deno.readTextFileSync(`${directory}/test/first.js`), "// given: one\nreturn one;\n");
    assertStringIncludes(Deno.readTextFileSync(`${directory}/callback.js`), "handler(");
  });
});

Deno.test("nothing but ffi/generated_code.ts turns text into code", () => {
  const makers = ["ffi", "loader", "wsi", "egl", "hwc", "workbench", "cli"].flatMap((
    floor,
  ) => [...sources(`${ROOT}${floor}`)])
    .filter((path) => /\bnew Function\(/.test(Deno.readTextFileSync(path)));
  assertEquals(makers, [`${ROOT}ffi/generated_code.ts`]);
});

const ROOT = new URL("../../", import.meta.url).pathname;

function* sources(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if (isDirectory) yield* sources(`${folder}/${name}`);
    else if (name.endsWith(".ts")) yield `${folder}/${name}`;
  }
}

Deno.test("inTurn() makes a thing once for each mark, and gives the marks in turn", () => {
  const title = crypto.randomUUID(), marks: string[] = [];
  const take = () =>
    inTurn(title, (mark) => {
      marks.push(mark);
      return { mark };
    });
  const round = Array.from({ length: 32 }, take);
  assertEquals(new Set(round.map(({ mark }) => mark)).size, 32);
  assertEquals(round.every(({ mark }) => /^ \/\/ \d+$/.test(mark)), true);
  for (const made of round) assertEquals(take() === made, true, made.mark);
  assertEquals(marks.length, 32);
});
