import { callback, checkOptions, number, oneOf, type OptionRules } from "../../../ffi/check_options.ts";
import type { BinderBus, LocalObject, RemoteObject } from "../bus.ts";
import { AidlManagerClient } from "./aidl_client.ts";
import { MANAGER_RELEASES } from "./aidl_layout.ts";
import { aidlManager } from "./aidl_manager.ts";
import { HidlManagerClient } from "./hidl_client.ts";
import { hidlManager } from "./hidl_manager.ts";
import { Registry } from "./registry.ts";

/** The language of services and of their manager. */
export interface ServiceOptions {
  /** The language: AIDL of `/dev/binder`, HIDL of `/dev/hwbinder`. Default `"aidl"`. */
  readonly as?: "aidl" | "hidl";
  /**
   * The Android release whose service manager AIDL speaks with, 10 to 16. Android 15 has three forms: 15 at first, 15.1
   * and 15.2 at its quarterly releases. Default 16.
   */
  readonly release?: number;
}

/** Settings of {@linkcode serviceManager}. */
export interface ServiceManagerOptions extends ServiceOptions {
  /** Whether a service is declared that nobody has registered yet. Default: none is. */
  readonly isDeclared?: (name: string) => boolean;
}

const RULES: OptionRules<ServiceManagerOptions> = {
  as: oneOf("aidl", "hidl"),
  release: number,
  isDeclared: callback("takes a name"),
};

/** A service manager of this process. */
export interface ServiceManager {
  /** The names of all services: `NAME`, or `INTERFACE/INSTANCE` of HIDL. */
  readonly names: readonly string[];
  /** Registers an object of this process, which cannot call its own service manager. */
  add(name: string, object: LocalObject): void;
  /** Forgets all services. The bus stays the caller's. */
  close(): void;
}

/**
 * Becomes the service manager of a bus, for machines that have none: services are added, found, listed and waited for,
 * as with Android's. Nobody is refused: who may open the device may add and find. Rejects with ALREADY_EXISTS if there is
 * a service manager.
 */
export async function serviceManager(bus: BinderBus, options: ServiceManagerOptions = {}): Promise<ServiceManager> {
  const { as, release } = checked("serviceManager()", options), { isDeclared = () => false } = options;
  const registry = new Registry();
  const declared = (name: string) => registry.find(name) !== undefined || isDeclared(name);
  await bus.becomeContextManager(as === "aidl" ? aidlManager(registry, release, declared) : hidlManager(registry));
  return {
    get names() {
      return registry.names;
    },
    add: (name, object) => registry.add([name], { object: { local: object }, stability: stabilityIn(release) }),
    close: () => registry.clear(),
  };
}

/** The word for an object between system and vendor, as each release writes it. */
function stabilityIn(release: number): number {
  const VINTF = 0x3f;
  return Math.floor(release) === 12 ? VINTF << 24 | 1 : VINTF;
}

/** A bus's service manager, of Pumice's making or of Android's. */
export interface Services {
  /** Returns a service, which the caller releases; `undefined` if there is none. */
  find(name: string): Promise<RemoteObject | undefined>;
  /** Registers an object under a name, in the place of an earlier one. */
  add(name: string, object: LocalObject): Promise<void>;
  /** Returns the names of all services. */
  list(): Promise<readonly string[]>;
}

/** Returns the services that a bus's service manager knows. */
export function servicesOf(bus: BinderBus, options: ServiceOptions = {}): Services {
  const { as, release } = checked("servicesOf()", options), manager = bus.contextManager();
  return as === "aidl" ? new AidlManagerClient(manager, release) : new HidlManagerClient(manager);
}

function checked(subject: string, options: ServiceManagerOptions): { as: "aidl" | "hidl"; release: number } {
  checkOptions(subject, options, RULES);
  const { as = "aidl", release = 16 } = options;
  if (MANAGER_RELEASES.includes(release)) return { as, release };
  throw new RangeError(`Cannot speak with release ${release} in ${subject}: give ${MANAGER_RELEASES.join(", ")}`);
}
