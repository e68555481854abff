import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { WHOLE } from "../../../loader/api/load_vulkan.ts";
import { android } from "../../../loader/platform/android.ts";
import { linux } from "../../../loader/platform/linux.ts";
import { rulesOf } from "../../../loader/api/load.ts";
import { fakeHost } from "../driver/fake_host.ts";

Deno.test("rulesOf() gives the rules that were asked for, or the system's own", () => {
  const host = fakeHost({ system: "android" });
  assertStrictEquals(rulesOf(WHOLE.platforms, "linux", host), linux);
  assertStrictEquals(rulesOf(WHOLE.platforms, "auto", host), android);
  assertStrictEquals(rulesOf(WHOLE.platforms, undefined, fakeHost({ system: "linux" })), linux);
  assertThrows(() => rulesOf(WHOLE.platforms, "windows" as "linux", host), TypeError, "windows");
});

/** The paths of one platform alone, below loader/. The options of Android's search are types and a number. */
const OF_PLATFORMS = [
  /^terminator\//,
  /^layers\/android\//,
  /^driver\/(android\/(?!options)|linux\/)/,
];
/** The paths that may import those: the rules themselves, and each room from itself. */
const ROOMS = [/^platform\//, ...OF_PLATFORMS];

Deno.test("only a platform's rules import what is the platform's", () => {
  const root = new URL("../../../loader/", import.meta.url), wrong: string[] = [];
  let imports = 0;
  for (const file of filesBelow(root.pathname)) {
    const own = file.slice(root.pathname.length);
    for (
      const [, path] of Deno.readTextFileSync(file).matchAll(/^(?:import|export) (?!type )[^;]*? from "(\.[^"]+)";/gm)
    ) {
      const imported = new URL(path, `file://${file}`).pathname.slice(root.pathname.length);
      if (!OF_PLATFORMS.some((room) => room.test(imported))) continue;
      imports++;
      if (!ROOMS.some((room) => room.test(own))) wrong.push(`${own} imports ${imported}`);
    }
  }
  assertEquals(wrong, []);
  assertEquals(imports > 50, true);
});

function filesBelow(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    if (isDirectory) return filesBelow(`${folder}${name}/`);
    return name.endsWith(".ts") ? [`${folder}${name}`] : [];
  });
}
