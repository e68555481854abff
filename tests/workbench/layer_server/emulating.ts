import { ARM64_LIBRARIES, ARM64_ROOT, canEmulateArm64, emulated, isInEmulator } from "../../support/arm64.ts";
import { needs } from "../../support/require.ts";

/** The driver and the loader of arm64 programs. */
const VULKAN = [`${ARM64_LIBRARIES}/libvulkan_lvp.so`, `${ARM64_LIBRARIES}/libvulkan.so.1`];

/** The needs of tests in the emulator that start arm64 programs. */
export const IN_EMULATOR = { ignore: !isInEmulator(...VULKAN) };

/** The needs of tests with arm64 programs on another processor. */
export const NEEDS_ARM64 = needs(
  "an arm64 emulator, compiler, Vulkan loader, driver and vkcube, as `deno task test:arm64 --setup` unpacks them",
  canEmulateArm64(
    ...VULKAN,
    `${ARM64_ROOT}/usr/bin/vkcube`,
  ),
);

/** The command line that emulates a program, and the variables with the arm64 driver. */
export function emulating(folder: string, program: string) {
  const ICD = { library_path: `${ARM64_LIBRARIES}/libvulkan_lvp.so`, api_version: "1.3.0" },
    driver = `${folder}/driver.json`;
  Deno.writeTextFileSync(driver, JSON.stringify({ file_format_version: "1.0.0", ICD }));
  return { line: emulated(program), env: { VK_DRIVER_FILES: driver, VK_ICD_FILENAMES: driver } };
}
