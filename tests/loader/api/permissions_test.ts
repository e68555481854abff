import { assert, assertEquals } from "@std/assert";
import { runDeno } from "../../support/subprocess.ts";

Deno.test("without permissions explain() names each unread variable once, and a layer names its option and the flag", () => {
  const program = new URL("./programs/few_permissions.ts", import.meta.url).pathname;
  const flags = ["--no-prompt", "--no-check", "--import-map=tools/offline_import_map.json"];
  const { stdout, output } = runDeno(["run", ...flags, "--allow-ffi", "--allow-read", program]);
  assert(stdout.startsWith("{"), output);
  const { unread, said } = JSON.parse(stdout);
  assert(unread.includes("HOME") && unread.length > 10, output);
  assertEquals(unread, [...new Set(unread)]);
  assertEquals(
    said,
    'NotCapable: Cannot write "calls.jsonl" of apiTrace({ path }): no permission; run Deno with --allow-write=calls.jsonl',
  );
});
