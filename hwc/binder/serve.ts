import { callback, checkOptions, number, oneOf, type OptionRules } from "../../ffi/check_options.ts";
import type { AsyncComposer } from "../composer.ts";
import { HwcError } from "../hwc_error.ts";
import { ERROR } from "../types.ts";
import { aidlComposer } from "./aidl/serve.ts";
import type { LocalObject } from "./bus.ts";
import type { BinderServeOptions } from "./options.ts";
import { hidlComposer } from "./hidl/serve.ts";
import { RELEASES } from "./parcel/aidl/dialect.ts";
import { OneClient } from "./served/one_client.ts";

/** A language of interfaces: AIDL since Android 13, HIDL before. */
export type Language = "aidl" | "hidl";

/** Settings of {@linkcode composerService}, which knows neither names nor devices. */
export type ComposerServiceOptions = Omit<BinderServeOptions, "instance" | "device">;

const RULES: OptionRules<ComposerServiceOptions> = {
  as: oneOf("aidl", "hidl"),
  version: number,
  release: number,
  log: callback("takes a sentence"),
};

/** A composer as an object of binder, for a service manager to know. */
export interface ComposerService extends AsyncDisposable {
  /** The object. */
  readonly object: LocalObject;
  /** The name of its interface. */
  readonly descriptor: string;
  /** Whether a client is connected. */
  readonly hasClient: boolean;
  /** Resolves when what the client had is cleared away. The caller keeps and closes the composer. */
  close(): Promise<void>;
}

/**
 * Makes the service of a composer, for one client at a time, as Android's is. When the client is gone, the next finds
 * none of its layers, virtual displays and settings.
 */
export function composerService(composer: AsyncComposer, options: ComposerServiceOptions = {}): ComposerService {
  checkOptions("composerService()", options, RULES);
  const { as = "aidl", release = 16, log = () => {} } = options, { versions, descriptor } = LANGUAGES[as];
  const { version = versions.standard } = options, clients = new OneClient(), close = () => clients.end();
  checkRange("version", version, versions);
  checkRange("release", release, { ...RELEASES, step: 1 });
  const object = as === "aidl"
    ? aidlComposer(composer, { release, version }, clients, log)
    : hidlComposer(composer, version.toFixed(1), clients, log);
  return {
    object,
    descriptor: descriptor(version),
    get hasClient() {
      return clients.isConnected;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The languages: their versions, and the name of the interface in a service manager. */
const LANGUAGES = {
  aidl: {
    versions: { first: 1, last: 4, step: 1, standard: 3 },
    descriptor: () => "android.hardware.graphics.composer3.IComposer",
  },
  hidl: {
    versions: { first: 2.1, last: 2.4, step: 0.1, standard: 2.4 },
    descriptor: (version: number) => `android.hardware.graphics.composer@${version.toFixed(1)}::IComposer`,
  },
} as const;

function checkRange(
  name: string,
  value: number,
  { first, last, step }: { first: number; last: number; step: number },
): void {
  const steps = (value - first) / step;
  if (value >= first && value <= last && Math.abs(steps - Math.round(steps)) < 1e-6) return;
  throw new HwcError("composerService", ERROR.BAD_PARAMETER, `there is no ${name} ${value}; give ${first} to ${last}`);
}
