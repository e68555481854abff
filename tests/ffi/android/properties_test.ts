import { assertEquals, assertThrows } from "@std/assert";
import { deviceProperties, parseProperties, systemProperties } from "../../../ffi/android/properties.ts";
import { NativeError } from "../../../ffi/error.ts";
import { Library } from "../../../ffi/library/library.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { withFolder } from "../../support/temporary.ts";

const store = compileFixture("property_store");

Deno.test("parseProperties() reads a build.prop", () => {
  const text =
    "# comment=1\n\nimport /odm/build.prop\r\nro.board.platform=sun\r\n ro.x = a=b \n=nothing\nro.empty=\nro.x=last";
  assertEquals(Object.fromEntries(parseProperties(text)), {
    "ro.board.platform": "sun",
    "ro.x": "last",
    "ro.empty": "",
  });
});

Deno.test("parseProperties() reads what getprop prints, values of several lines too", () => {
  const text = "[ro.board.platform]: [sun]\n[persist.text]: [one\ntwo [x]\n=three]\r\n[ro.hardware.vulkan]: []\n";
  assertEquals(Object.fromEntries(parseProperties(text)), {
    "ro.board.platform": "sun",
    "persist.text": "one\ntwo [x]\n=three",
    "ro.hardware.vulkan": "",
  });
});

Deno.test("parseProperties() finds nothing in what is neither", () => {
  for (const text of ["", "\n\n", "# x=1", "no equals sign", "[half]: [open"]) {
    assertEquals(parseProperties(text).size, 0);
  }
});

Deno.test("systemProperties() takes an object, a build.prop and getprop's output alike", () => {
  withFolder((folder) => {
    Deno.writeTextFileSync(`${folder}/build.prop`, "ro.board.platform=sun\n");
    Deno.writeTextFileSync(`${folder}/getprop.txt`, "[ro.board.platform]: [sun]\n");
    for (const source of [{ "ro.board.platform": "sun" }, `${folder}/build.prop`, `${folder}/getprop.txt`]) {
      const properties = systemProperties(source);
      assertEquals([properties.get("ro.board.platform"), properties.get("ro.hardware.vulkan")], ["sun", ""]);
    }
  });
});

Deno.test("systemProperties() refuses a file that is not there", () => {
  assertThrows(() => systemProperties("/nowhere/build.prop"), NativeError, "/nowhere/build.prop");
});

Deno.test('systemProperties() refuses "device" where there is none', { ignore: Deno.build.os === "android" }, () => {
  assertThrows(() => systemProperties("device"), NativeError, "no Android");
});

Deno.test("deviceProperties() asks __system_property_get", needs("C compiler (cc)", store), () => {
  using library = Library.open(store!);
  const properties = deviceProperties(library.require("__system_property_get"));
  assertEquals([properties.get("ro.board.platform"), properties.get("ro.hardware")], ["sun", ""]);
});
