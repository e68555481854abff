import type { Vulkan } from "../api/vulkan.ts";
import { RecordingError } from "./error.ts";
import { deviceLacks, extensionsOf, instanceExtensions, instanceLacks } from "./needs.ts";
import type { Survey } from "./survey.ts";

/**
 * Returns the index of the first physical device that has everything a
 * recording needs.
 *
 * @throws {RecordingError} if there is none; the message names what each lacks.
 */
export function chooseDevice(vulkan: Vulkan, survey: Survey): number {
  const lacks = instanceLacks(vulkan, survey), [made] = survey.instances;
  if (lacks.length > 0) throw new RecordingError("unsupported", 0, refusal("This loader and its driver", lacks));
  if (!made) {
    throw new RecordingError(
      "no-instance",
      0,
      "Cannot replay a recording that makes no instance; record from the start",
    );
  }
  const { pApplicationInfo } = made.args.pCreateInfo;
  using instance = vulkan.vkCreateInstance({
    pApplicationInfo: pApplicationInfo && { apiVersion: pApplicationInfo.apiVersion },
    ppEnabledExtensionNames: extensionsOf(made, instanceExtensions(vulkan)),
  });
  const refusals: string[] = [];
  for (const [index, gpu] of instance.vkEnumeratePhysicalDevices().entries()) {
    const lacks = deviceLacks(gpu, survey);
    if (lacks.length === 0) return index;
    refusals.push(refusal(gpu.vkGetPhysicalDeviceProperties().deviceName, lacks));
  }
  throw new RecordingError("unsupported", 0, refusals.join("; ") || "Cannot replay: the driver has no physical device");
}

function refusal(subject: string, lacks: readonly string[]): string {
  return `${subject} cannot replay this: it lacks ${lacks.join(", ")}; use another driver, or edit what needs it`;
}
