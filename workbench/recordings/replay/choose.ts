import type { Vulkan } from "../../../loader/api/vulkan.ts";
import type { VkInstance } from "../../../loader/gen/types_core_gen.ts";
import type { RecordedCall } from "../record/line.ts";
import { RecordingError } from "./error.ts";
import { deviceLacks, extensionsOf, instanceExtensions, instanceLacks } from "./needs.ts";
import type { DeviceNeeds, GpuFacts, Survey } from "./survey.ts";

/** Indices of physical devices, for the devices of a recording. */
export type Choice = ReadonlyMap<DeviceNeeds, number>;

/**
 * Returns for each device of a recording the index of a physical device that
 * has everything the device needs: the one of the recorded name, or else the
 * first. Devices of several recorded physical devices get several here, if
 * there are so many.
 *
 * @throws {RecordingError} if there is none; the message names what each lacks.
 */
export function chooseDevices(vulkan: Vulkan, survey: Survey): Choice {
  const lacks = instanceLacks(vulkan, survey);
  if (lacks.length > 0) throw new RecordingError("unsupported", 0, refusal("This loader and its driver", lacks));
  if (survey.instances.length === 0) {
    throw new RecordingError(
      "no-instance",
      0,
      "Cannot replay a recording that makes no instance; record from the start",
    );
  }
  const chosen = new Map<DeviceNeeds, number>(), taken = new Map<GpuFacts, number>();
  for (const [call, devices] of Map.groupBy(survey.devices, ({ instance }) => instance)) {
    using instance = trialInstance(vulkan, call);
    for (const needs of devices) {
      const index = chooseOne(instance, needs, taken);
      taken.set(needs.facts, index);
      chosen.set(needs, index);
    }
  }
  return chosen;
}

function trialInstance(vulkan: Vulkan, made: RecordedCall): VkInstance {
  const { pApplicationInfo } = made.args.pCreateInfo;
  return vulkan.vkCreateInstance({
    pApplicationInfo: pApplicationInfo && { apiVersion: pApplicationInfo.apiVersion },
    ppEnabledExtensionNames: extensionsOf(made, instanceExtensions(vulkan)),
  });
}

function chooseOne(instance: VkInstance, needs: DeviceNeeds, taken: ReadonlyMap<GpuFacts, number>): number {
  const gpus = instance.vkEnumeratePhysicalDevices(), refusals: string[] = [], fitting: number[] = [];
  const names = gpus.map((gpu) => gpu.vkGetPhysicalDeviceProperties().deviceName);
  for (const [index, gpu] of gpus.entries()) {
    const lacks = deviceLacks(gpu, needs);
    if (lacks.length === 0) fitting.push(index);
    else refusals.push(refusal(names[index], lacks));
  }
  const known = taken.get(needs.facts), others = new Set(taken.values());
  const best = fitting.find((index) => index === known) ??
    fitting.find((index) => names[index] === needs.facts.deviceName) ??
    fitting.find((index) => !others.has(index)) ?? fitting[0];
  if (best !== undefined) return best;
  throw new RecordingError("unsupported", 0, refusals.join("; ") || "Cannot replay: the driver has no physical device");
}

function refusal(subject: string, lacks: readonly string[]): string {
  return `${subject} cannot replay this: it lacks ${lacks.join(", ")}; use another driver, or edit what needs it`;
}
