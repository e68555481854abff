import { assertEquals, assertStringIncludes } from "@std/assert";
import { rowsOf } from "../../../support/rows.ts";
import { NEEDS_TINY, TINY } from "../../tiny.ts";

Deno.test("below() and state throw a TypeError for whatever is no handle of a living device", NEEDS_TINY, () => {
  const found = rowsOf("tests/loader/layers/guard/programs/stray_handles.ts", [TINY!]);
  assertEquals([found.get("a device below"), found.get("a device's state")], ["3", "0"]);
  const strays = [...found].filter(([name]) => name !== "a device below" && name !== "a device's state");
  assertEquals(strays.length, 25);
  for (const [name, outcome] of strays) {
    const about = /below|closed/.test(name) ? "it is not in the chain of" : "Cannot find the state of a Vk";
    assertStringIncludes(outcome, "TypeError: ", name);
    assertStringIncludes(outcome, about, name);
  }
});
