import { assert, assertEquals } from "@std/assert";
import { walk } from "../../tools/walk.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
/** The words by which a test's file names a driver. */
const WORDS: Readonly<Record<string, RegExp>> = {
  lavapipe: /lavapipe/i,
  SwiftShader: /swiftshader/i,
  ANGLE: /\bANGLE\b|angle\w*\(/i,
  Mesa: /\bmesa/i,
  NVIDIA: /nvidia/i,
  vkms: /vkms/i,
};

interface Row {
  readonly feature: string;
  readonly drivers: readonly string[];
  readonly test: string;
}

function rows(): Row[] {
  const page = Deno.readTextFileSync(`${ROOT}docs/drivers.md`);
  return [...page.matchAll(/^\| (\S.*?) +\| (.+?) +\| `(.+)` +\|$/gm)].map(([, feature, drivers, test]) => ({
    feature,
    drivers: drivers.split(", "),
    test,
  }));
}

/** The text of a test's file and of the files of the tests that it imports. */
function textWithImports(path: string): string {
  const text = Deno.readTextFileSync(path), folder = path.slice(0, path.lastIndexOf("/"));
  const imports = [...text.matchAll(/from "(\.\.?\/[^"]+)"/g)].map(([, each]) =>
    new URL(each, `file://${folder}/`).pathname
  );
  return [
    text,
    ...imports.filter((each) => each.startsWith(`${ROOT}tests/`)).map((each) => Deno.readTextFileSync(each)),
  ]
    .join("\n");
}

Deno.test("each row of the page about drivers names a test there is, whose file names each driver of the row", () => {
  const files = [...walk(`${ROOT}tests`)].filter((path) => path.endsWith("_test.ts"));
  const texts = files.map((path) => [path, Deno.readTextFileSync(path)] as const);
  assert(rows().length >= 15);
  for (const { feature, drivers, test } of rows()) {
    const owners = texts.filter(([, text]) =>
      text.includes(`\`${test}\``) || text.includes(`"${test.replaceAll('"', '\\"')}"`)
    );
    assert(owners.length > 0, `${feature}: no test is named ${test}`);
    const unnamed = drivers.filter((name) => !owners.some(([path]) => WORDS[name]?.test(textWithImports(path))));
    assertEquals(unnamed, [], `${feature}: drivers that the test's file does not name`);
  }
});
