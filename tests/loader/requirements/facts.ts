/**
 * Devices that are only said to be there.
 *
 * @module
 */
import type { Circumstances } from "../../../loader/requirements/rule.ts";
import type { DeviceFacts, FormatFacts } from "../../../loader/requirements/facts.ts";

/** The words of a device of a test. */
export interface Said {
  readonly apiVersion?: number;
  readonly type?: number;
  readonly extensions?: Readonly<Record<string, number>>;
  readonly structs?: Readonly<Record<string, Record<string, unknown>>>;
  readonly formats?: Readonly<Record<number, Partial<FormatFacts>>>;
  readonly queueFamilies?: readonly Record<string, unknown>[];
  readonly unresolved?: readonly string[];
}

/** A device that says this, and of all else nothing. */
export function deviceThat(said: Said): DeviceFacts {
  const { apiVersion = 0x403000, type = 2, extensions = {}, structs = {}, formats = {}, queueFamilies = [] } = said;
  return {
    name: "said",
    type,
    apiVersion,
    driverVersion: 1,
    vendorId: 0,
    deviceId: 0,
    extensions: new Map(Object.entries(extensions)),
    deviceExtensions: Object.keys(extensions),
    isProvided: () => false,
    struct: (name) => structs[name],
    format: (format) => ({
      linearTilingFeatures: 0n,
      optimalTilingFeatures: 0n,
      bufferFeatures: 0n,
      ...formats[format],
    }),
    queueFamilies,
    semaphoreFeatures: () => 0,
    fenceFeatures: () => 0,
    unresolved: (commands) => ({ commands: commands.filter((name) => said.unresolved?.includes(name)) }),
  };
}

/** The newest phone, with these differences. */
export function phone(changes: Partial<Circumstances> = {}): Circumstances {
  return {
    release: 17,
    launch: changes.release ?? 17,
    is64Bit: true,
    lowMemory: false,
    deviceType: "auto",
    deqpLevel: undefined,
    cpuOnly: false,
    driver: { devices: [], instanceVersion: 0x403000 },
    ...changes,
  };
}
