import { assert, assertEquals } from "@std/assert";
import { lavapipePath, nvidiaManifest, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { steadyWorker } from "../adaptor/steady_worker.ts";
import { type ExpectedTable, tableOf } from "./expected_table.ts";

const FOLDER = new URL("./expected/", import.meta.url);
const PARTS: Readonly<Record<string, () => string | undefined>> = {
  lavapipe: lavapipePath,
  SwiftShader: swiftshaderPath,
  NVIDIA: nvidiaManifest,
};

for (const { name } of [...Deno.readDirSync(FOLDER)].sort((one, other) => one.name < other.name ? -1 : 1)) {
  const expected: ExpectedTable = JSON.parse(Deno.readTextFileSync(new URL(name, FOLDER)));
  const driver = PARTS[expected.part]();
  // A table of a part that no ordinary machine has is for those that have it.
  const options = expected.part === "NVIDIA" ? { ignore: driver === undefined } : needs(expected.part, driver);
  Deno.test(`checkVulkan() says of ${expected.part} what the committed table says`, options, () => {
    using _worker = steadyWorker();
    const found = tableOf(expected.part, driver!);
    assertEquals(Object.keys(found.verdicts), Object.keys(expected.verdicts));
    if (JSON.stringify(found.device) !== JSON.stringify(expected.device)) {
      const message = `this is ${JSON.stringify(found.device)}, the table is of another version: print another one`;
      assert(Deno.env.get("PUMICE_REQUIRE_ALL") !== "1" || expected.part === "NVIDIA", message);
      return; // another version of the driver may say anything else
    }
    assertEquals(found, expected);
  });
}
