import type { AidlReader, AidlWriter } from "../parcel/aidl/dialect.ts";
import { type AidlType, parcelable, union } from "../parcel/aidl/types.ts";
import type { Registered } from "./registry.ts";

/** The interface of Android's manager of services. */
export const DESCRIPTOR = "android.os.IServiceManager";
/** The interface of those who are told of new services, with one method. */
export const CALLBACK = { descriptor: "android.os.IServiceCallback", onRegistration: 1 } as const;

const OLD = ["getService", "checkService", "addService", "listServices"] as const;
const WATCHING = ["registerForNotifications", "unregisterForNotifications", "isDeclared"] as const;
const NEWER = [...WATCHING, "getDeclaredInstances", "updatableViaApex"] as const;
const ENDING = ["registerClientCallback", "tryUnregisterService"] as const, DEBUG = "getServiceDebugInfo";
const QUARTERLY = ["getService", "getService2", "checkService", "addService", "listServices"] as const;
const LATEST = [...NEWER, "getUpdatableNames", "getConnectionInfo", ...ENDING, DEBUG] as const;

/**
 * The methods by release, in the order of their transactions, which begin at 1. Android 15 has three: 15 at its first
 * release, 15.1 and 15.2 at its quarterly ones.
 */
const LAYOUTS: Readonly<Record<string, readonly string[]>> = {
  "10": OLD,
  "11": [...OLD, ...WATCHING, ...ENDING],
  "12": [...OLD, ...NEWER, ...ENDING, DEBUG],
  "13": [...OLD, ...NEWER, "getConnectionInfo", ...ENDING, DEBUG],
  "14": [...OLD, ...LATEST],
  "15": [...OLD, ...LATEST],
  "15.1": [...QUARTERLY, ...LATEST],
  "15.2": [...QUARTERLY, ...LATEST],
  "16": ["getService", "getService2", "checkService", "checkService2", "addService", "listServices", ...LATEST],
};

/** The releases whose manager is known. */
export const MANAGER_RELEASES: readonly number[] = Object.keys(LAYOUTS).map(Number).sort((one, other) => one - other);

/** Returns the names of a release's methods by their transactions. */
export function methodsOf(release: number): Map<number, string> {
  return new Map(LAYOUTS[release].map((name, index) => [index + 1, name]));
}

/** An object with its stability, as its owner wrote it. */
export const SERVICE_BINDER: AidlType<Registered | null> = {
  least: 24,
  absent: null,
  write(to: AidlWriter, value) {
    to.object(value && value.object);
    if (value && to.dialect.release >= 11) to.i32(value.stability);
    else to.stability(true);
  },
  read(from: AidlReader) {
    const item = from.object(), stability = from.dialect.release >= 11 ? from.i32() : 0;
    if (!item) return null;
    return { object: item.kind === "local" ? { local: item.object } : { remote: item.object }, stability };
  },
};

/** `android.os.Service` of Android 15's first quarterly release. */
export const SERVICE_15: AidlType<{ tag: string; value: Registered | null }> = union({
  binder: SERVICE_BINDER,
  accessor: SERVICE_BINDER,
});

const WITH_METADATA = parcelable<{ service: Registered | null; isLazyService: boolean }>({
  service: SERVICE_BINDER,
  isLazyService: {
    least: 4,
    absent: false,
    write: (to, value) => to.i32(value ? 1 : 0),
    read: (from) => from.i32() !== 0,
  },
});
/** `android.os.Service` since. */
export const SERVICE_16: AidlType<{ tag: string; value: unknown }> = union({
  serviceWithMetadata: WITH_METADATA,
  accessor: SERVICE_BINDER,
});
