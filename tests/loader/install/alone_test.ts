import { assertEquals } from "@std/assert";
import { needs } from "../../support/require.ts";
import { tinyVariant } from "../tiny.ts";
import { type ClientReport, compileClient, runClient, SYSTEM } from "./client.ts";

const app = compileClient("alone_app"), unguarded = tinyVariant("unguarded", "-DUNGUARDED");
const meeting = tinyVariant("meeting", "-DMEETING");
const COMPILED = needs("Vulkan headers and a C compiler", app);
/** Four threads, ten devices each. */
const ALL = "made 40";

function run(loader: string, driver: string, what: number): ClientReport {
  return runClient(app!, { loader, what, driver, counters: [`${driver}:tiny_most_inside`] });
}

Deno.test(
  "one thread at a time is in a driver's commands that make and destroy, as with the C loader",
  COMPILED,
  () => {
    const loaders = ["pumice", `pumice:${unguarded}`, ...SYSTEM ? [SYSTEM] : []];
    for (const loader of loaders) {
      assertEquals({ loader, ...run(loader, unguarded!, 0) }, { loader, said: [ALL], counts: [1] });
    }
  },
);

Deno.test("a driver that destroys a device only when another is made goes on after two seconds", COMPILED, () => {
  for (const loader of ["pumice", `pumice:${meeting}`]) assertEquals(run(loader, meeting!, 1).said, ["made 3"]);
});
