import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { assertNothingKept, denoRun, inUse, ON_BINDER, TestDevice } from "../driver/on_binder.ts";

const CLI = new URL("../../../../cli.ts", import.meta.url).pathname;

/** Runs the command line to its end, or until `stop` is called. */
function command(...args: string[]): { readonly output: Promise<Deno.CommandOutput>; stop(): void } {
  const [program, ...words] = denoRun(CLI, ...args), options = { args: words, env: { NO_COLOR: "1" } } as const;
  const child = new Deno.Command(program, { ...options, stdout: "piped", stderr: "piped", stdin: "null" }).spawn();
  return { output: child.output(), stop: () => child.kill("SIGINT") };
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

for (const language of ["binder", "hwbinder"]) {
  Deno.test(
    `compose --binder offers a composer at a ${language}, and info shows it from another process`,
    ON_BINDER,
    async () => {
      using device = new TestDevice(`${language}-${crypto.randomUUID().slice(0, 8)}`);
      const before = inUse(), offering = command("compose", `--binder=${device.path}`, "--width=320", "--height=240");
      let shown: Deno.CommandOutput | undefined;
      for (let turn = 0; turn < 20 && !shown?.success; turn++) {
        shown = await command("info", `--composer=binder:${device.path}:default`, "--json").output;
      }
      assert(shown?.success, text(shown!.stderr));
      const { displays } = JSON.parse(text(shown!.stdout));
      const [{ width, height }] = displays[0].configs;
      assertEquals([displays.length, width, height], [1, 320, 240]);
      offering.stop();
      const { stdout, stderr, code } = await offering.output;
      assertStringIncludes(text(stdout), `IComposer/default at ${device.path}, whose service manager is this program`);
      assertEquals(code, 0, text(stderr)); // what a client may not ask is told there
      await assertNothingKept(before);
    },
  );
}

Deno.test("info says that no composer is registered, and that a device is missing", ON_BINDER, async () => {
  const missing = await command("info", "--composer=binder:/dev/none:default").output;
  assertEquals(missing.code, 1, text(missing.stderr));
  assertStringIncludes(text(missing.stderr), "there is no /dev/none");
});
