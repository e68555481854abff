import { assertEquals } from "@std/assert";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { layerName, withMachine } from "../layers/choice/layer_machine.ts";
import { compileClient, NEEDS_SYSTEM, runClient, SYSTEM } from "./client.ts";

const GROUPS = "groups 0: 0.0=0 1.0=1 2.0=2";
const app = compileClient("guest_app"),
  virtualDevice = compileFixture("guest_layer"),
  careful = compileFixture("careful_driver");
const COMPILED = needs("Vulkan headers and a C compiler", app);

const LISTED = ["devices 0 4, 0 4, room for two 5 2", "the same again 1, all begin alike 1"];
const devices = ["Guest 1", "Guest 2", "Guest 3", "Tiny driver"];
const numbers = [41, 42, 43, 40];
const asked = devices.map((name, index) =>
  `${name}: families 1, extensions 0 1, number ${numbers[index]}, found again 1`
);
/** The layer's lines about a device made of each, which is then named. */
const handed = ["1", "2, group of 1 2 3 0", "3", "0"].flatMap((device) => {
  const named = `name of type 2, ${device === "0" ? "the driver's" : "a guest"}`;
  return [`device of ${device}`, named, `tag: ${named}`, "name of type 3, the device"];
});
const SAID = [
  ...LISTED,
  "the same on all threads 1",
  ...LISTED,
  "groups 0: 0.0=0 0.1=1 0.2=2 1.0=3",
  ...asked,
  ...devices.flatMap(() => ["device 0", "queue 1, named 0, tagged 0"]),
  ...handed,
  ...LISTED,
  asked[2],
];

Deno.test("physical devices of a layer begin with anything, on every thread, as with Debian's loader", COMPILED, () => {
  withMachine((machine) => {
    const instance_extensions = [{ name: "VK_EXT_debug_utils", spec_version: "2" }];
    machine.explicit("guest", {
      layer: { library_path: virtualDevice!, functions: undefined, instance_extensions },
    });
    const nowhere = { XDG_CONFIG_HOME: machine.folder, XDG_CONFIG_DIRS: "/nowhere", XDG_DATA_DIRS: "/nowhere" };
    const names = { PUMICE_TEST_NAME: layerName("guest"), PUMICE_TEST_LIBRARY: virtualDevice! };
    const env = { ...nowhere, HOME: machine.folder, XDG_DATA_HOME: machine.folder, ...names };
    const check = (loader: string, where: "here" | "thread") => {
      const { said } = runClient(app!, { loader, where, driver: careful!, env });
      assertEquals({ loader, where, said }, { loader, where, said: SAID });
    };
    for (const loader of ["pumice", `pumice:${careful}`]) {
      for (const where of ["here", "thread"] as const) check(loader, where);
    }
    if (!NEEDS_SYSTEM.ignore) check(SYSTEM!, "thread");
  });
});

Deno.test("physical devices of a TypeScript layer may be anything, for native programs", COMPILED, () => {
  const [listed, same] = ["devices 0 3, 0 3, room for two 5 2", "the same again 1, all begin alike 0"];
  const virtualDevice = "Guest: families 5, extensions -7 0, number -1, found again 1"; // it has no hook that lists extensions
  const rows = (groups: string) => [
    ...[listed, same, listed, same, groups],
    ...["Tiny driver: families 1, extensions 0 1, number -1, found again 1", virtualDevice, virtualDevice],
    ...Array(3).fill(["device 0", "queue 1, named 0, tagged 0"]).flat(),
    ...[listed, same, virtualDevice],
  ];
  for (const where of ["here", "thread"] as const) {
    const waits: Record<string, string> = where === "thread" ? { PUMICE_TEST_BLOCK: "1" } : {};
    const env = { PUMICE_TEST_GUESTS: "1", ...waits };
    const { said } = runClient(app!, { loader: "pumice", where, what: 1, driver: careful!, env });
    assertEquals({ where, said }, { where, said: rows(GROUPS) });
  }
  const { said } = runClient(app!, {
    loader: `pumice:${careful}`,
    where: "here",
    what: 1,
    env: { PUMICE_TEST_GUESTS: "1" },
  });
  assertEquals(said, rows(GROUPS), "the driver alone");
});
