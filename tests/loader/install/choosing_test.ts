import { assertEquals } from "@std/assert";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { compileClient, NEEDS_SYSTEM, runClient, SYSTEM } from "./client.ts";

const app = compileClient("choosing_app");
const grouped = compileFixture("careful_driver", ["-DGROUPS"], "groups");
const COMPILED = needs("Vulkan headers and a C compiler", app);
/** Only the groups change. */
const GROUPS = 1;

const FIRST = ["at first: devices 0 1 2 3, groups 0 1 2 3", "with two in a group: devices 0 1 2 3, groups 0 1+2 3"];
const FILTERED = [
  "without the first: devices 0 2 3, groups 0 3",
  "without the last: devices 0 1 2, groups 0 1+2",
  "with an empty filter: devices 0 1 2 3, groups 0 1+2 3",
  "of another vendor: devices 0, groups 0",
  "with the last chosen: devices 0 3 1 2, groups 0 3 1+2",
  "unsorted: devices 0 1 2 3, groups 0 1+2 3",
];
const LAST = ["as at first: devices 0 1 2 3, groups 0 1 2 3", "with room for two: 5"];
/** Words of the Khronos loader, here for the log. */
const TRIMMED = "vkEnumeratePhysicalDevices: Trimming device count from 3 to 2";

const common = { driver: grouped!, env: { PUMICE_TEST_DRIVER: grouped!, NODEVICE_SELECT: "1" } };

Deno.test("variables that are set while an instance is alive choose its devices, on every thread", COMPILED, () => {
  for (const where of ["here", "thread"] as const) {
    const { said } = runClient(app!, { loader: "pumice", where, ...common });
    assertEquals({ where, said }, { where, said: [...FIRST, ...FILTERED, ...LAST] });
  }
});

Deno.test(
  "groups that a driver makes of the same devices are seen on every thread, as with the C loader",
  COMPILED,
  () => {
    const loaders = NEEDS_SYSTEM.ignore ? ["pumice"] : ["pumice", SYSTEM!];
    for (const loader of loaders) {
      for (const where of ["here", "thread"] as const) {
        const { said } = runClient(app!, { loader, where, what: GROUPS, ...common });
        assertEquals({ loader, where, said }, { loader, where, said: [...FIRST, ...LAST] });
      }
    }
  },
);

Deno.test("a list that is cut short on any thread is told in the Khronos loader's words", COMPILED, () => {
  for (const where of ["here", "thread"] as const) {
    const env = { ...common.env, PUMICE_TEST_LOG: "vkEnumeratePhysicalDevices", VK_LOADER_DEBUG: "info" };
    const { said } = runClient(app!, { loader: "pumice", where, what: GROUPS, ...common, env });
    assertEquals(said.filter((line) => line.startsWith("log:")), [`log: ${TRIMMED}`], where);
  }
});
