import { WrongUse } from "./exit_code.ts";

/** The place of a composer's service. */
export interface BinderPlace {
  /** The device; `undefined` for Android's. */
  readonly binder: string | undefined;
  /** The instance, or the whole name. */
  readonly service: string;
  /** The language. */
  readonly as: "aidl" | "hidl";
}

/**
 * Reads a composer's name that stands for a service of binder: `binder`, `binder:SERVICE` or `binder:DEVICE:SERVICE`, where
 * a device begins with a slash; `undefined` for other composers. A service with a version, and a device that is named
 * hwbinder, are HIDL's. Throws {@linkcode WrongUse} for an empty service.
 */
export function binderPlace(option: string, name: string): BinderPlace | undefined {
  if (name === "binder") return { binder: undefined, service: "default", as: "aidl" };
  if (!name.startsWith("binder:")) return undefined;
  const [, device, service] = /^(?:(\/[^:]*)(?::|$))?(.*)$/s.exec(name.slice("binder:".length))!;
  if (service === "" && device === undefined) {
    throw new WrongUse(`${option} is "${name}": give a service, such as binder:default`);
  }
  return { binder: device, service: service || "default", as: /@\d/.test(service) ? "hidl" : languageOf(device ?? "") };
}

/** Returns the language of a device by its name. */
export function languageOf(device: string): "aidl" | "hidl" {
  return /(?:^|\/)hwbinder[^/]*$/.test(device) ? "hidl" : "aidl";
}
