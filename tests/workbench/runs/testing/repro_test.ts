import { assertEquals, assertStringIncludes } from "@std/assert";
import { canBundle } from "../../../../tools/build/bundle.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { type Repro, writeRepro } from "../../../../workbench/runs/testing/repro.ts";
import { needs } from "../../../support/require.ts";
import { run } from "../../../support/subprocess.ts";
import { withFolderAsync } from "../../../support/temporary.ts";

const NEEDS = { ignore: needs("Mesa lavapipe", lavapipePath()).ignore || !await canBundle() };
const LIBRARY = new URL("../../../../workbench/runs/testing/mod.ts", import.meta.url).href;

/** Calls a function and counts the bundlers that it starts. */
async function countingBundlers<Value>(call: () => Promise<Value>): Promise<readonly [Value, number]> {
  const { Command } = Deno;
  let started = 0;
  Deno.Command = class extends Command {
    constructor(command: string | URL, options?: Deno.CommandOptions) {
      super(command, options);
      if (options?.args?.[0] === "bundle") started++;
    }
  };
  try {
    return [await call(), started];
  } finally {
    Deno.Command = Command;
  }
}

Deno.test(
  "the bundler runs once for all failed tests of a file, and each bundle runs its own test",
  NEEDS,
  async () => {
    await withFolderAsync(async (output) => {
      const file = `${output}/tests.ts`, names = ['says "one" $& 1', "says two"];
      const tests = names.map((name) =>
        `gpuTest(${JSON.stringify(name)}, () => { console.log(${
          JSON.stringify(`<${name}>`)
        }); throw new Error("no"); });`
      );
      Deno.writeTextFileSync(file, [`import { gpuTest } from "${LIBRARY}";`, ...tests].join("\n"));
      const write = (name: string, driver: string): Promise<Repro> =>
        writeRepro(
          { name, file: `file://${file}`, options: { output } },
          { name: driver, path: lavapipePath()! },
          { file: `file://${file}`, test: name, driver, status: "failed" },
        );
      const [repros, started] = await countingBundlers(async () => [
        ...await Promise.all(names.map((name) => write(name, "lvp"))),
        await write(names[0], "another"),
      ]);
      assertEquals([started, new Set(repros.map(({ bundle }) => bundle)).size], [1, 3]);
      for (const [index, name] of names.entries()) {
        const { code, output } = run(Deno.execPath(), ["run", "-A", "--no-config", repros[index].bundle!]);
        assertEquals(code, 1, output);
        assertStringIncludes(output, `<${name}>\n`);
      }
      const [first, , another] = repros.map(({ bundle }) => Deno.readTextFileSync(bundle!));
      assertEquals(another.replace('name: "another"', 'name: "lvp"'), first);
      assertEquals(first.includes("tmp/pumice-bundle-"), false, "nothing tells of a temporary folder");
    });
  },
);
