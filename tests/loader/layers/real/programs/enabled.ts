/**
 * Makes an instance with each instance extension that is listed under named
 * native layers, one at a time: `enabled.ts DRIVER LAYER...`. Prints the
 * extensions that are listed, and those that are refused.
 *
 * @module
 */
import { loadVulkan } from "../../../../../loader/mod.ts";

const [driver, ...layers] = Deno.args;
using vulkan = loadVulkan({ driver, layers });
const listed = vulkan.vkEnumerateInstanceExtensionProperties(null).map(({ extensionName }) => extensionName);
const refused = listed.filter((name) => {
  try {
    using _ = vulkan.vkCreateInstance({ ppEnabledExtensionNames: [name] });
    return false;
  } catch {
    return true;
  }
});
console.log(JSON.stringify({ listed, refused }));
