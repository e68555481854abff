/**
 * A loader with layers over a driver in TypeScript.
 *
 * @module
 */
import type { VkDevice, VkInstance, VkPhysicalDevice } from "../../../../loader/gen/types_core_gen.ts";
import { defineDriver, type DriverSpec, type Layer, type ScriptedDriver } from "../../../../loader/mod.ts";
import { openDevice } from "../../../support/device.ts";

/** What a test of a layer works with. */
export interface Scripted {
  /** The driver. */
  readonly driver: ScriptedDriver;
  /** An instance above it. */
  readonly instance: VkInstance;
  /** Its first physical device. */
  readonly gpu: VkPhysicalDevice;
  /** A device of that. */
  readonly device: VkDevice;
}

/** Makes a device of a driver in TypeScript with layers above and hands it over; closes everything afterwards. */
export function withScripted(layers: Layer[], use: (scripted: Scripted) => void, spec: Partial<DriverSpec> = {}): void {
  using driver = defineDriver({ name: "below the layer", ...spec });
  using open = openDevice({ driver, layers });
  use({ driver, instance: open.instance, gpu: open.gpu, device: open.device });
}
