import type { Circumstances, DriverRule } from "./rule.ts";
import { demand } from "./requirement.ts";
import type { Outcome } from "./verdict.ts";

/** VK1: there is a GPU for Vulkan and for OpenGL ES. */
export const DEVICE_RULES: readonly DriverRule[] = [
  {
    id: "VK1",
    rule: "vulkan.devices",
    requirement: "The driver makes an instance and has a physical device.",
    source: "Android's implementation guide for Vulkan, overview",
    check({ driver: { devices, problem } }) {
      const found = problem ?? (devices.map(({ name }) => `"${name}"`).join(", ") || "no physical device");
      return demand(problem === undefined && devices.length > 0, found, "check that the driver fits the machine");
    },
  },
  {
    id: "VK1",
    rule: "vulkan.gles",
    requirement: "A GPU with Vulkan has OpenGL ES 3.1 or newer, too.",
    source: "Android's implementation guide for Vulkan, overview; CDD 7.1.4.2",
    check: checkGles,
  },
];

function checkGles({ glesVersion }: Circumstances): Outcome {
  if (!glesVersion) {
    return { status: "report", found: "the GPU's version of OpenGL ES is not known here; EGL can be asked" };
  }
  const [major, minor] = glesVersion;
  const found = `OpenGL ES ${major}.${minor}`;
  return demand(major > 3 || (major === 3 && minor >= 1), found, "the GPU's OpenGL ES driver must have 3.1");
}
