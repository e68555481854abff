import { assert, assertEquals } from "@std/assert";
import { ELSEWHERE, reasonOf } from "../../tools/coverage/elsewhere.ts";
import { Gathered } from "../../tools/coverage/gathered.ts";
import { readLcov, sumOf } from "../../tools/coverage/lcov.ts";
import { withFolderAsync } from "../support/temporary.ts";

const record = (path: string, [LF, LH, BRF, BRH]: readonly number[]) =>
  `SF:/house/${path}\nFN:1,a\nBRDA:2,1,0,1\nBRF:${BRF}\nBRH:${BRH}\nDA:1,1\nLH:${LH}\nLF:${LF}\nend_of_record\n`;

Deno.test("the coverage counts what people wrote on the floors: no tests, no generated files, no files elsewhere", () => {
  const paths = [
    "loader/api/load.ts",
    "loader/gen/types_gen.ts",
    "ffi/emit/page_gen.js",
    "tests/x_test.ts",
    "wsi/a.ts",
  ];
  const text = paths.map((path, at) => record(path, [10, 5 + at, 4, at])).join("") +
    "SF:/other/loader/a.ts\nLF:9\nLH:9\n";
  const counts = readLcov(text, "/house/", ["loader", "ffi", "wsi"]);
  assertEquals([...counts.keys()], ["loader/api/load.ts", "wsi/a.ts"]);
  assertEquals(sumOf(counts.values()), { lines: 20, linesRun: 14, branches: 8, branchesRun: 4 });
});

Deno.test("what ran in one process of several has run, and a file that a process left half written is counted", async () => {
  await withFolderAsync(async (folder) => {
    const own = `${folder}/own`, batch = `${folder}/batch`;
    Deno.mkdirSync(own);
    Deno.writeTextFileSync(
      `${own}/sides.ts`,
      "export function left() {\n  return 1;\n}\nexport function right() {\n  return 2;\n}\n",
    );
    Deno.writeTextFileSync(`${own}/named_test.ts`, "console.log(1);\n");
    for (const side of ["left", "right"]) {
      Deno.writeTextFileSync(
        `${own}/${side}.ts`,
        `import { ${side} } from "./sides.ts${
          side === "left" ? "?again" : ""
        }";\nimport "./named_test.ts";\n${side}();\n`,
      );
      await ran(["run", `--coverage=${batch}`, `${own}/${side}.ts`]);
    }
    Deno.writeTextFileSync(`${batch}/cut.json`, '{ "url": "file://');
    const gathered = new Gathered((url) => /\/(sides|named_test)\.ts$/.test(url));
    gathered.take(batch);
    assertEquals([gathered.cut, [...Deno.readDirSync(folder)].map(({ name }) => name)], [1, ["own"]]);
    const report = await gathered.report(`${folder}/all`);
    const counts = { lines: 6, linesRun: 6, branches: 0, branchesRun: 0 };
    assertEquals([...readLcov(report, `${folder}/`, ["own"])], [["own/sides.ts", counts]]);
    assertEquals(gathered.leftOut(report), [`${own}/named_test.ts`]);
  });
});

Deno.test("each reason why a file runs more than is counted is that of a file or a folder, which is there", () => {
  for (const beginning of Object.keys(ELSEWHERE)) {
    assert(Deno.statSync(new URL(`../../${beginning}`, import.meta.url)), beginning);
    assertEquals(reasonOf(`${beginning}x.ts`), ELSEWHERE[beginning]);
  }
  assertEquals(reasonOf("loader/mod.ts"), "");
});

async function ran(args: readonly string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args: [...args] }).output();
  assertEquals(success, true, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}
