import { assertEquals } from "@std/assert";
import { importFlags, ownFlags } from "../../../wsi/testing/own_flags.ts";

Deno.test("importFlags() keeps what says what imports mean, with values of their own or behind them", () => {
  const line = "deno test -P --quiet --import-map=a.json --config b.json --filter x --no-lock --cert c.pem y_test.ts";
  assertEquals(importFlags(line.split(" ")), [
    "--import-map=a.json",
    "--config",
    "b.json",
    "--no-lock",
    "--cert",
    "c.pem",
  ]);
});

Deno.test("ownFlags() gives this process's rights on, and names the configuration of the file", () => {
  const flags = ownFlags(import.meta.url), root = new URL("../../../", import.meta.url).pathname;
  assertEquals(flags.filter((flag) => flag.startsWith("--config")), [`--config=${root}deno.json`]);
  assertEquals(flags.filter((flag) => /^--allow-(ffi|net)$/.test(flag)), ["--allow-ffi"]);
});
