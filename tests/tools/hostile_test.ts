import { assert, assertEquals } from "@std/assert";
import { changedElf, systemLinker } from "../../tools/hostile/elf.ts";
import { openedModule } from "../../tools/hostile/native.ts";
import { outcomeOf, tried } from "../../tools/hostile/outcome.ts";
import { replayedRecordings } from "../../tools/hostile/replays/replays.ts";
import { fuzzed } from "../../tools/hostile/structured.ts";
import { anglePaths, lavapipePath, swiftshaderPath, validationManifest } from "../../tools/setup/parts.ts";
import { inspectElf, type NativeError } from "../../ffi/mod.ts";
import { compileFixture, compileProgram } from "../support/compile.ts";
import { count } from "../support/counts.ts";
import { needs } from "../support/require.ts";
import { withFolder } from "../support/temporary.ts";

const DRIVERS = [lavapipePath(), swiftshaderPath(), anglePaths()?.egl].filter((path) => path !== undefined);

Deno.test("every reader takes inputs that are nearly right, or refuses them by a documented error", () =>
  withFolder((folder) => {
    const rows = fuzzed(38, count(60, 60, 600), folder);
    assertEquals(rows.flatMap(({ reader, findings }) => findings.map((finding) => `${reader}: ${finding}`)), []);
    const answers = new Set(rows.flatMap(({ counts }) => Object.keys(counts)));
    assertEquals([...answers].sort(), ["refused", "taken"]);
  }));

Deno.test(
  "inspectElf() answers each changed byte of drivers, and the dynamic linker dies of few that it lets pass",
  needs("lavapipe, SwiftShader, ANGLE, a C compiler", DRIVERS.length === 3 && compileProgram("changed_library")),
  () =>
    withFolder((folder) => {
      const linker = systemLinker(compileProgram("changed_library")!), every = count(150, 150, 10);
      const rows = DRIVERS.flatMap((path) => changedElf(path, folder, { every, first: 3, linker }));
      assertEquals(rows.flatMap(({ findings }) => findings), []);
      const sum = (name: string) => rows.reduce((all, { counts }) => all + (counts[name] ?? 0), 0);
      const inputs = rows.reduce((all, row) => all + row.inputs, 0);
      assert(sum("refused") > inputs / 5, `${sum("refused")} of ${inputs} refused`);
      assert(sum("passed and died") < inputs / 100, `${sum("passed and died")} of ${inputs} died`);
    }),
);

Deno.test("inspectElf() accepts every library of the system that is for this machine", () => {
  const folder = DRIVERS[0]?.slice(0, DRIVERS[0].lastIndexOf("/")) ?? "/usr/lib";
  const codes = [...Deno.readDirSync(folder)].filter(({ name, isFile }) => isFile && /\.so(\.|$)/.test(name)).map((
    { name },
  ) => {
    try {
      inspectElf(`${folder}/${name}`);
      return "good";
    } catch (error) {
      return (error as NativeError).code;
    }
  });
  assertEquals(codes.filter((code) => code === "damaged"), []);
});

Deno.test(
  "a changed recording is replayed and compared, or refused, unless it asks a driver for what the rules forbid",
  needs("lavapipe, the Khronos validation layer", lavapipePath() !== undefined && validationManifest()),
  () =>
    withFolder((folder) => {
      const rows = replayedRecordings(lavapipePath()!, 38, count(40, 40, 4000), folder);
      assertEquals(rows.flatMap(({ findings }) => findings), []);
      const sum = (name: string) => rows.reduce((all, { counts }) => all + (counts[name] ?? 0), 0);
      assert(sum("refused") > 10 && sum("taken") > 4, JSON.stringify(rows));
    }),
);

Deno.test(
  "a hwcomposer2 module that returns garbage, lacks functions or calls when it should not ends in words",
  needs("a C compiler", compileFixture("hwc2_hostile", ["-DGARBAGE"], "garbage")),
  () => {
    const slow = count(0, 0, 1) === 0 ? [] : ["hang", "closing"]; // each takes half a minute
    for (const kind of ["garbage", "threads", "nulls", "enums", "fences", "twice", "no_close", "tagged", ...slow]) {
      const { counts, findings } = openedModule(kind)!;
      assertEquals(findings, []);
      assert(Object.keys(counts).every((outcome) => ["ended in words", "reported"].includes(outcome)), kind);
    }
  },
);

Deno.test("a reader's own mistake is a finding, and so is one that takes long", () => {
  assertEquals(outcomeOf(new TypeError('Cannot read "a": it is no number; give one')), "refused");
  for (
    const mistake of [() => (undefined as unknown as string[]).length, () => new Array(-1), () => JSON.parse("[")]
  ) {
    assertEquals(typeof tried(mistake), "object");
  }
});
