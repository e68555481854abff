import { assertEquals } from "@std/assert";
import { compileFixture } from "../../../support/compile.ts";
import { mappings } from "../../../support/open_files.ts";
import { withFolder } from "../../../support/temporary.ts";
import { NEEDS_TINY, TINY } from "../../tiny.ts";
import { findingOf, loadWith } from "../machine.ts";

const VARIABLE = "VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING";

Deno.test(`${VARIABLE}=1 leaves drivers and layers loaded, and nothing else does`, NEEDS_TINY, () => {
  for (const [value, stays] of [["", false], ["0", false], ["1", true]] as const) {
    withFolder((folder) => {
      const driver = `${folder}/kept_driver.so`, layer = `${folder}/kept_layer.so`;
      Deno.copyFileSync(TINY!, driver);
      Deno.copyFileSync(compileFixture("plain_layer")!, layer);
      const { findings } = loadWith({ env: { [VARIABLE]: value } }, (vulkan) => {
        using _instance = vulkan.vkCreateInstance({});
      }, { driver, layers: [layer] });
      assertEquals(["kept_driver", "kept_layer"].map((name) => mappings(name) > 0), [stays, stays], value);
      assertEquals(findingOf(findings, "variable", VARIABLE) !== undefined, value !== "");
    });
  }
});
