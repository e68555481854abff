import { assertEquals } from "@std/assert";
import { readLcov, sumOf } from "../../tools/coverage/lcov.ts";

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
