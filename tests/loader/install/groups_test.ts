import { assertEquals } from "@std/assert";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { compileClient, NEEDS_SYSTEM, runClient, SYSTEM } from "./client.ts";

const app = compileClient("grouping_app"), careful = compileFixture("careful_driver");
const grouped = compileFixture("careful_driver", ["-DGROUPS"], "groups");
const COMPILED = needs("Vulkan headers and a C compiler", app);
const creating = compileFixture("careful_driver", ["-DCREATION"], "creation");
const DEVICES = 3, BY_EXTENSION = 8, SUCCESS = 0, INCOMPLETE = 5;

/** The program's lines about three devices: of an application of 1.1, then of one of 1.0. */
function lines(filled: boolean): string[] {
  const ofOne = Array.from({ length: DEVICES + 1 }, (_, index) => {
    const room = index + 1, listed = Math.min(room, DEVICES), result = room < DEVICES ? INCOMPLETE : SUCCESS;
    const groups = Array.from({ length: listed }, (_, gpu) => {
      return ` 1 of gpu ${gpu}, subset 0, kept 1, filled ${filled ? gpu + 1 : 0};`;
    });
    return `${room}: counted 0 ${DEVICES}, listed ${result} ${listed}:${groups.join("")}`;
  });
  return [...ofOne, ...ofOne];
}

/** The lines without what Debian's loader does otherwise than newer ones: that of 1.3.239 changes pNext of the groups. */
function asOfOld(lines: readonly string[]): string[] {
  return lines.map((line) => line.replaceAll(/ kept \d,/g, ""));
}

/** Runs the program on each thread, with this driver named and found, and with the system's loader. */
function check(driver: string, expected: string[], more = 0): void {
  const common = { what: DEVICES + more, driver, env: { PUMICE_TEST_DRIVER: driver, NODEVICE_SELECT: "1" } };
  if (!NEEDS_SYSTEM.ignore) {
    assertEquals(asOfOld(runClient(app!, { loader: SYSTEM!, ...common }).said), asOfOld(expected));
  }
  for (const loader of ["pumice", `pumice:${driver}`]) {
    for (const where of ["here", "thread"] as const) {
      const { said } = runClient(app!, { loader, where, ...common });
      assertEquals({ loader, where, said }, { loader, where, said: expected });
    }
  }
}

Deno.test(
  "a driver that lists no groups has one for each device, on every thread, as with the C loader",
  COMPILED,
  () => {
    check(careful!, lines(false));
    check(creating!, lines(false), BY_EXTENSION);
  },
);

Deno.test(
  "the driver gets what an application chains to groups, on every thread, as with the C loader",
  COMPILED,
  () => {
    check(grouped!, lines(true));
  },
);
