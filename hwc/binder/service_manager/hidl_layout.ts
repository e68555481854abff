import type { BinderValue } from "../parcel/aidl/types.ts";
import { BOOL, type HidlInterface, INTERFACE, STRING, U8, vec } from "../parcel/hidl/types.ts";

const NAMES = vec(STRING);

/** The methods of `android.hidl.manager@1.2::IServiceManager`, which give their results as a list. */
export type ManagerMethods = {
  get(kind: string, name: string): [service: BinderValue | null];
  add(name: string, service: BinderValue | null): [isAdded: boolean];
  getTransport(kind: string, name: string): [transport: number];
  list(): [names: readonly string[]];
  listByInterface(kind: string): [instances: readonly string[]];
  registerForNotifications(kind: string, name: string, callback: BinderValue | null): [isRegistered: boolean];
  registerPassthroughClient(kind: string, name: string): [];
  unregisterForNotifications(kind: string, name: string, callback: BinderValue | null): [isFound: boolean];
  registerClientCallback(
    kind: string,
    name: string,
    server: BinderValue | null,
    callback: BinderValue | null,
  ): [isRegistered: boolean];
  unregisterClientCallback(server: BinderValue | null, callback: BinderValue | null): [isFound: boolean];
  addWithChain(name: string, service: BinderValue | null, chain: readonly string[]): [isAdded: boolean];
  listManifestByInterface(kind: string): [instances: readonly string[]];
  tryUnregister(kind: string, name: string, service: BinderValue | null): [isRemoved: boolean];
};

/** The interface of HIDL's manager of services. `debugDump`, 7, is left out. */
export const IServiceManager: HidlInterface<ManagerMethods> = {
  package: "android.hidl.manager",
  name: "IServiceManager",
  versions: ["1.0", "1.1", "1.2"],
  methods: {
    get: { code: 1, in: "1.0", args: [STRING, STRING], results: [INTERFACE] },
    add: { code: 2, in: "1.0", args: [STRING, INTERFACE], results: [BOOL] },
    getTransport: { code: 3, in: "1.0", args: [STRING, STRING], results: [U8] },
    list: { code: 4, in: "1.0", args: [], results: [NAMES] },
    listByInterface: { code: 5, in: "1.0", args: [STRING], results: [NAMES] },
    registerForNotifications: { code: 6, in: "1.0", args: [STRING, STRING, INTERFACE], results: [BOOL] },
    registerPassthroughClient: { code: 8, in: "1.0", args: [STRING, STRING], results: [] },
    unregisterForNotifications: { code: 9, in: "1.1", args: [STRING, STRING, INTERFACE], results: [BOOL] },
    registerClientCallback: { code: 10, in: "1.2", args: [STRING, STRING, INTERFACE, INTERFACE], results: [BOOL] },
    unregisterClientCallback: { code: 11, in: "1.2", args: [INTERFACE, INTERFACE], results: [BOOL] },
    addWithChain: { code: 12, in: "1.2", args: [STRING, INTERFACE, NAMES], results: [BOOL] },
    listManifestByInterface: { code: 13, in: "1.2", args: [STRING], results: [NAMES] },
    tryUnregister: { code: 14, in: "1.2", args: [STRING, STRING, INTERFACE], results: [BOOL] },
  },
};

/** The methods of those who are told of new services. */
export type NotificationMethods = {
  onRegistration(kind: string, name: string, isPreexisting: boolean): [];
};

/** The interface of those who are told of new services. */
export const IServiceNotification: HidlInterface<NotificationMethods> = {
  package: "android.hidl.manager",
  name: "IServiceNotification",
  versions: ["1.0"],
  methods: { onRegistration: { code: 1, in: "1.0", oneway: true, args: [STRING, STRING, BOOL], results: [] } },
};

/** The name that every interface has in front of its own. */
export const BASE = "android.hidl.base@1.0::IBase";
/** The ways to a service: none, or hwbinder. */
export const TRANSPORT = { EMPTY: 0, HWBINDER: 1 } as const;
