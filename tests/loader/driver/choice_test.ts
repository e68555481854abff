import { assertEquals, assertThrows } from "@std/assert";
import { chosenDrivers, driverChoice } from "../../../loader/driver/choice.ts";
import { eglDriverChoice } from "../../../egl/driver/options.ts";
import { walk } from "../../../tools/walk.ts";

const DIRECT = { name: "mine", getInstanceProcAddr: 1n };

Deno.test("driverChoice() tells each form of a driver option apart", () => {
  assertEquals(driverChoice(undefined), { kind: "auto" });
  assertEquals(driverChoice("auto"), { kind: "auto" });
  assertEquals(driverChoice("libvulkan_x.so"), { kind: "library", path: "libvulkan_x.so" });
  assertEquals(driverChoice("icd.d/x.json"), { kind: "manifest", path: "icd.d/x.json" });
  assertEquals(driverChoice(DIRECT), { kind: "direct", driver: DIRECT });
  const list = driverChoice(["a.so", DIRECT, "b.json"]);
  assertEquals(chosenDrivers(list).map(({ kind }) => kind), ["library", "direct", "manifest"]);
  assertEquals(chosenDrivers(driverChoice("auto")), []);
});

Deno.test("driverChoice() refuses a list that names no driver, or a search among others", () => {
  assertThrows(() => driverChoice([]), TypeError, "name at least one");
  assertThrows(() => driverChoice(["a.so", "auto"]), TypeError, 'give "auto" alone');
});

Deno.test("eglDriverChoice() tells each form of a driver option apart", () => {
  const opened = { path: "libEGL.so" };
  assertEquals(eglDriverChoice(undefined), { kind: "auto" });
  assertEquals(eglDriverChoice("angle"), { kind: "angle" });
  assertEquals(eglDriverChoice("10_mesa.json"), { kind: "manifest", path: "10_mesa.json" });
  assertEquals(eglDriverChoice("/vendor/lib64/egl"), { kind: "path", path: "/vendor/lib64/egl" });
  assertEquals(eglDriverChoice(["e.so", "", "g.so"]), { kind: "three", egl: "e.so", gles1: "", gles2: "g.so" });
  assertEquals(eglDriverChoice<object>(opened), { kind: "opened", driver: opened });
  assertThrows(() => eglDriverChoice(""), TypeError, "give a path");
  assertThrows(() => eglDriverChoice(["", "", "g.so"]), TypeError, "name that library first");
});

/** A decision by the form of a `driver` option: its type, a word that it may be, or the ending of a manifest. */
const LOOKS = new RegExp(
  String.raw`typeof (options\.)?driver === "(string|object)"|Array\.isArray\((options\.)?driver\b` +
    String
      .raw`|\bdriver (===|!==) "(auto|angle)"|\bdriver(s)?\.endsWith\("\.json"\)|\[(options\.)?driver\b[^\]]*\]\.flat\(`,
);

Deno.test("the forms of a driver option are told apart at the front doors alone", () => {
  const found = ["loader", "wsi", "egl", "hwc", "workbench", "cli"].flatMap((floor) => [...walk(floor)])
    .filter((path) => path.endsWith(".ts") && LOOKS.test(Deno.readTextFileSync(path)));
  assertEquals(found, []);
});
