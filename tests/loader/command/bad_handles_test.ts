import { assert, assertEquals } from "@std/assert";
import { lavapipePath, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { runProgram } from "../../support/subprocess.ts";

const lavapipe = lavapipePath(), swiftShader = swiftshaderPath();
/** The results of commands that may be called with NULL. */
const OF_NULL = new Map([["vkDestroyInstance", "undefined"], ["vkDestroyDevice", "undefined"], [
  "vkGetInstanceProcAddr",
  "0",
], ["vkGetDeviceProcAddr", "0"]]);

const DRIVERS: readonly [string, readonly (string | undefined)[], road?: string][] = [
  ["Mesa lavapipe", [lavapipe]],
  ["SwiftShader", [swiftShader]],
  ["Mesa lavapipe and SwiftShader", [lavapipe, swiftShader]],
  ["SwiftShader without machine code", [swiftShader], "pointer"],
];

for (const [name, drivers, road = "memfd"] of DRIVERS) {
  const wanted = needs(name, drivers.every(Boolean));
  Deno.test(
    `raw commands throw a TypeError for what is no handle, and the driver hears nothing (${name})`,
    wanted,
    () => {
      const { code, stdout, stderr } = runProgram("tests/loader/command/programs/bad_handles.ts", [
        road,
        ...drivers as string[],
      ]);
      assertEquals([code, code && stderr], [0, 0]);
      const rows = stdout.trim().split("\n").map((line) => line.split("\t"));
      const there = rows.filter(([, , outcome]) => !outcome.includes("is not available on this"));
      const wrong = there.filter(([command, kind, outcome]) => {
        if (kind === "live") return outcome !== "0,0,0";
        if (kind === "NULL" && OF_NULL.has(command)) return outcome !== OF_NULL.get(command);
        return !/^TypeError: (vk\w+) \w+: expected a Vk\w+ that is not destroyed, found /.test(outcome) ||
          !outcome.includes(`${command} `);
      });
      assertEquals(wrong.slice(0, 5), []);
      const commands = new Set(there.map(([command]) => command)).size;
      assert(commands > 150 && there.length > 11 * commands, `${there.length} calls of ${commands} commands`);
    },
  );
}
