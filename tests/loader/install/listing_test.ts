import { assertEquals } from "@std/assert";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { compileClient, NEEDS_SYSTEM, runClient, SYSTEM } from "./client.ts";

const app = compileClient("listing_app"), careful = compileFixture("careful_driver");
const COMPILED = needs("Vulkan headers and a C compiler", app);
/** The program's orders: another instance is alive meanwhile; a device is made, too. */
const OTHER = 1, DEVICE = 2;

const LISTS = [
  "at first: counted 0 1, filled 0 1, groups 0 1",
  "without memory: counted -1 0, filled -1 0, groups -1 0",
  "without memory to fill: counted -1 0, filled -1 0, groups -1 0",
  "again: counted 0 1, filled 0 1, groups 0 1",
  "with two more: counted 0 3, filled 0 3, groups 0 3",
  "in another instance: counted 0 3, filled 0 3, groups 0 3",
  "with none: counted -3 0, filled -3 0, groups -3 0",
  "with two: counted 0 2, filled 0 2, groups 0 2",
];
const DEVICES = ["extensions -1, device -1", "extensions 0, device 0"];

Deno.test("devices that come and go, and want of memory, are told alike on every thread", COMPILED, () => {
  const common = { driver: careful!, env: { PUMICE_TEST_DRIVER: careful! } };
  for (const where of ["here", "thread"] as const) {
    const { said } = runClient(app!, { loader: "pumice", where, what: OTHER + DEVICE, ...common });
    assertEquals({ where, said }, { where, said: [...LISTS, ...DEVICES] });
  }
  if (NEEDS_SYSTEM.ignore) return;
  // That loader ends the process when a driver cannot list its device extensions.
  assertEquals(runClient(app!, { loader: SYSTEM!, what: OTHER, ...common }).said, LISTS);
});
