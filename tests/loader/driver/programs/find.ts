/**
 * Says what the search for drivers finds, and why.
 *
 * deno run … tests/loader/driver/programs/find.ts
 */
import { loadVulkan, requireDriver } from "../../../../loader/mod.ts";

try {
  using vulkan = requireDriver(loadVulkan());
  console.log(vulkan.driver);
} catch (error) {
  console.log((error as Error).message);
}
