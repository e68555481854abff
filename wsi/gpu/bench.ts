import type { VkDevice } from "../../loader/types.ts";
import { Clock } from "./clock.ts";
import type { OpenedDevice } from "./device.ts";

/** A device, the objects that are destroyed with the device, and the device's working time. */
export interface Bench extends OpenedDevice {
  /** The objects, destroyed in reverse order. */
  readonly owned: DisposableStack;
  /** Measures submitted work. */
  readonly clock: Clock;
}

/** A device, and the objects that end together. */
export type Owning = Pick<Bench, "device" | "owned">;

/**
 * Makes a bench. Disposing of `owned` destroys all objects, the device and the instance; the loader stays the caller's.
 */
export function openBench(opened: OpenedDevice, owned: DisposableStack = new DisposableStack()): Bench {
  owned.use(opened.instance);
  owned.use(opened.device);
  return { ...opened, owned, clock: new Clock(opened, owned) };
}

/**
 * Calls `use` with a bench whose objects are destroyed when `use` returns. By then the device has finished its work.
 */
export function duringCall<Result>(bench: Bench, use: (bench: Bench) => Result): Result {
  using owned = new DisposableStack();
  return use({ ...bench, owned });
}

/** The methods of a device by name. */
type Methods = Record<string, (...args: unknown[]) => unknown>;

/** Pipelines of every kind end in the same way. */
const PIPELINES = /^vkCreate\w+Pipelines(KHR|NV)?$/;

/** Returns a device whose commands give `owned` what they make. The last objects are destroyed first. */
export function ownedDevice(device: VkDevice, owned: DisposableStack): VkDevice {
  const methods = device as unknown as Methods;
  return new Proxy(device, {
    get(_, name) {
      const value = Reflect.get(device, name), destroy = destroying(String(name));
      if (typeof value !== "function") return value;
      if (destroy === undefined) return value.bind(device);
      return (...args: unknown[]) => {
        const made = methods[String(name)](...args);
        for (const object of handlesIn(made)) owned.defer(() => void methods[destroy](object));
        return made;
      };
    },
  });
}

/** The command that destroys what a command makes; `undefined` for one that makes nothing, or objects of a pool. */
function destroying(name: string): string | undefined {
  if (name === "vkAllocateMemory") return "vkFreeMemory";
  if (name === "vkCreateShadersEXT") return "vkDestroyShaderEXT";
  if (PIPELINES.test(name)) return "vkDestroyPipeline";
  return name.startsWith("vkCreate") ? name.replace("vkCreate", "vkDestroy") : undefined;
}

/** The handles that a command returned: one, or a list beside the result. */
function handlesIn(made: unknown): bigint[] {
  const all = typeof made === "object" && made !== null ? Object.values(made).flat() : [made];
  return all.filter((each) => typeof each === "bigint" && each !== 0n);
}
