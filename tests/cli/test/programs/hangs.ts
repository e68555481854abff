import { gpuTest } from "../../../../workbench/runs/testing/mod.ts";

gpuTest("first", () => {});
gpuTest("tells and waits", { timeout: 60_000 }, async () => {
  Deno.writeTextFileSync(Deno.env.get("TEST_PUMICE_BEGUN")!, `${Deno.pid}`);
  await new Promise((resolve) => setTimeout(resolve, 60_000));
});
gpuTest("last", () => {});
