/** Settings of `serveComposer` for clients that come by the kernel's binder. */
export interface BinderServeOptions {
  /** The language of the interface: AIDL since Android 13, HIDL before. Default `"aidl"`. */
  readonly as?: "aidl" | "hidl";
  /** The version of the interface: 1 to 4 of AIDL, by default 3; 2.1 to 2.4 of HIDL, by default 2.4. */
  readonly version?: number;
  /** The Android release whose parcels and service manager AIDL speaks, 10 to 16. Default 16. */
  readonly release?: number;
  /** The service's instance, behind the `/` of its name. Default `"default"`, as SurfaceFlinger asks for. */
  readonly instance?: string;
  /** The device of the kernel's binder, or a folder with a binderfs. Default `/dev/binder`, or `/dev/hwbinder` for HIDL. */
  readonly device?: string;
  /** Gets a line when a client breaks a rule, and when a command fails. Default: no messages. */
  readonly log?: (message: string) => void;
}

/** A composer that a service manager knows. */
export interface BinderComposerServer extends AsyncDisposable {
  /** The name at the service manager, such as `android.hardware.graphics.composer3.IComposer/default`. */
  readonly name: string;
  /** Whether a client is connected. */
  readonly hasClient: boolean;
  /** Disconnects the client and removes the client's objects. The caller keeps and closes the composer. */
  close(): Promise<void>;
}

/** Settings of `connectComposer` for a composer that a service manager knows. */
export interface BinderConnectOptions {
  /** The instance, such as `"default"`, or the whole name with its interface. */
  readonly service: string;
  /** The language of the interface. Default `"aidl"`. */
  readonly as?: "aidl" | "hidl";
  /** The Android release whose parcels and service manager AIDL speaks, 10 to 16. Default 16. */
  readonly release?: number;
  /** The device of the kernel's binder, or a folder with a binderfs. Default `/dev/binder`, or `/dev/hwbinder` for HIDL. */
  readonly device?: string;
  /** Called once when the service's process is gone; all later calls throw. */
  readonly onLost?: (reason: string) => void;
  /** Gets a line when something goes wrong that no call tells. Default: no messages. */
  readonly log?: (message: string) => void;
}
