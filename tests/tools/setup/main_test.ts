import { assert, assertEquals, assertStringIncludes } from "@std/assert";

interface Report {
  root: boolean;
  seconds: number;
  parts: { part: string; state: string; path?: string; note?: string }[];
}

async function setup(args: string[], env: Record<string, string> = {}) {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-config", "-A", new URL("../../../tools/setup/main.ts", import.meta.url).pathname, ...args],
    env: { NO_COLOR: "1", ...env },
  });
  const { code, stdout, stderr } = await command.output();
  const decoder = new TextDecoder();
  return { code, output: decoder.decode(stdout), error: decoder.decode(stderr) };
}

Deno.test("setup --json reports every part of the demo with its state", async () => {
  const { output } = await setup(["--for=demo", "--json"]);
  const report: Report = JSON.parse(output);
  assertEquals(typeof report.root, "boolean");
  assert(report.parts.some((part) => part.part === "Mesa lavapipe"));
  for (const part of report.parts) assertEquals(part.path === undefined, part.state === "missing", part.part);
});

Deno.test("setup refuses a purpose that it does not know", async () => {
  const { code, error } = await setup(["--for=tea"]);
  assertEquals(code, 2);
  assertStringIncludes(error, `Cannot set up for "tea": choose one of demo, test, bench, clients`);
});

Deno.test("setup refuses an unknown option", async () => {
  const { code, error } = await setup(["--jsn"]);
  assertEquals(code, 2);
  assertStringIncludes(error, "--jsn");
});
