import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { openFiles } from "../../support/open_files.ts";
import { withFolder } from "../../support/temporary.ts";
import { NEEDS_TINY, TINY } from "../tiny.ts";
import { corruptManifests } from "./corpus.ts";
import { type Loaded, loadWith, writeManifest } from "./machine.ts";

/** Loads where a corrupt manifest stands before a good one. */
function loadBeside(folder: string, bytes: Uint8Array): Loaded {
  const bad = `${folder}/bad.json`, good = writeManifest(`${folder}/good.json`, TINY!);
  Deno.writeFileSync(bad, bytes);
  return loadWith({ env: { VK_DRIVER_FILES: `${bad}:${good}` } });
}

/** The good driver is found, and of the bad manifest is said why it was not taken. */
function assertExplained({ driver, findings }: Loaded, name: string): void {
  assertEquals(driver, TINY, name);
  const said = findings.filter(({ path, origin }) => path.endsWith("bad.json") || origin.endsWith("bad.json"));
  assert(said.length > 0 && said.some(({ taken }) => !taken), name);
  for (const { reason } of said) assert(reason.length > 10, name);
}

Deno.test("acceptance 45: no corrupt manifest crashes, hides the good driver, or stays unexplained", NEEDS_TINY, () => {
  const cases = corruptManifests(TINY!);
  assert(cases.length >= 200, `${cases.length} cases`);
  withFolder((folder) => {
    const before = openFiles();
    for (const [name, bytes] of cases) assertExplained(loadBeside(folder, bytes), name);
    assertEquals(openFiles(), before);
  });
});

Deno.test("acceptance 45: what is no regular file is not read", NEEDS_TINY, () => {
  withFolder((folder) => {
    const good = writeManifest(`${folder}/good.json`, TINY!);
    Deno.mkdirSync(`${folder}/folder.json`);
    new Deno.Command("mkfifo", { args: [`${folder}/pipe.json`] }).outputSync();
    Deno.symlinkSync("/dev/zero", `${folder}/device.json`);
    Deno.symlinkSync(`${folder}/loop.json`, `${folder}/loop.json`);
    const files = ["folder", "pipe", "device", "loop"].map((name) => `${folder}/${name}.json`);
    const { driver, findings } = loadWith({ env: { VK_DRIVER_FILES: [...files, good].join(":") } });
    assertEquals(driver, TINY);
    for (const file of files) assert(findings.some(({ path, taken }) => path === file && !taken), file);
  });
});

Deno.test("acceptance 45: any JSON at all is read without a crash", NEEDS_TINY, () => {
  const words = ["ICD", "library_path", "api_version", "file_format_version", "library_arch", "is_portability_driver"];
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom(...words, "1.3.0", "/no/such.so", "64"),
      fc.jsonValue(),
      tie("object"),
    ),
    object: fc.dictionary(fc.oneof(fc.constantFrom(...words), fc.string()), tie("value")),
  })).object;
  withFolder((folder) => {
    fc.assert(
      fc.property(json, (value) => {
        assertExplained(loadBeside(folder, new TextEncoder().encode(JSON.stringify(value))), "generated");
      }),
      { numRuns: 300 },
    );
  });
});

Deno.test("acceptance 45: any change to a good manifest's bytes is read without a crash", NEEDS_TINY, () => {
  const good = new TextEncoder().encode(
    '{"file_format_version":"1.0.0","ICD":{"library_path":"/no/such.so","api_version":"1.3.0"}}',
  );
  const change = fc.record({ at: fc.nat(good.length - 1), byte: fc.nat(255) });
  withFolder((folder) => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), (changes) => {
        const bytes = good.slice();
        for (const { at, byte } of changes) bytes[at] = byte;
        assertExplained(loadBeside(folder, bytes), "changed");
      }),
      { numRuns: 300 },
    );
  });
});
