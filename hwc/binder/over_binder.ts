import { callback, checkOptions, number, oneOf, type OptionRules, text } from "../../ffi/check_options.ts";
import { HwcError } from "../hwc_error.ts";
import { ERROR } from "../types.ts";
import type { AsyncComposer } from "../composer.ts";
import { connectAidl } from "./aidl/connect.ts";
import type { BinderBus, RemoteObject } from "./bus.ts";
import type { BinderComposer } from "./connected/composer.ts";
import { openBinder } from "./driver/open_binder.ts";
import { hwcErrorOf } from "./errors.ts";
import { connectHidl } from "./hidl/connect.ts";
import type { BinderComposerServer, BinderConnectOptions, BinderServeOptions } from "./options.ts";
import { composerService, type Language } from "./serve.ts";
import { servicesOf } from "./service_manager/service_manager.ts";

/** The devices of the kernel, by the language that is spoken there. */
const DEVICES: Readonly<Record<Language, string>> = { aidl: "/dev/binder", hidl: "/dev/hwbinder" };
/** Names of the interface that any version answers to. */
const INTERFACES: Readonly<Record<Language, string>> = {
  aidl: "android.hardware.graphics.composer3.IComposer",
  hidl: "android.hardware.graphics.composer@2.1::IComposer",
};

const SERVE_RULES: OptionRules<BinderServeOptions> = {
  as: oneOf("aidl", "hidl"),
  version: number,
  release: number,
  instance: text("an instance's name"),
  device: text("a device's path"),
  log: callback("takes a sentence"),
};
const CONNECT_RULES: OptionRules<BinderConnectOptions> = {
  service: text("a service's name"),
  as: oneOf("aidl", "hidl"),
  release: number,
  device: text("a device's path"),
  onLost: callback("takes the reason"),
  log: callback("takes a sentence"),
};

/** Serves a composer by binder, under its name at the service manager; on a bus that is open already, if one is given. */
export async function serveOverBinder(
  composer: AsyncComposer,
  options: BinderServeOptions,
  given?: BinderBus,
): Promise<BinderComposerServer> {
  checkOptions("serveComposer()", options, SERVE_RULES);
  const { as = "aidl", version, release = 16, log, instance = "default" } = options;
  const service = composerService(composer, { as, version, release: Math.floor(release), log }),
    name = `${service.descriptor}/${instance}`;
  const { bus, close } = busOf("serveComposer", as, options, given);
  try {
    await servicesOf(bus, { as, release }).add(name, service.object);
  } catch (error) {
    await close();
    throw hwcErrorOf("serveComposer", error);
  }
  const end = async () => {
    await service.close();
    await close();
  };
  return {
    name,
    get hasClient() {
      return service.hasClient;
    },
    close: end,
    [Symbol.asyncDispose]: end,
  };
}

/** Connects to a composer by its name at the service manager; on a bus that is open already, if one is given. */
export async function connectOverBinder(options: BinderConnectOptions, given?: BinderBus): Promise<BinderComposer> {
  checkOptions("connectComposer()", options, CONNECT_RULES);
  const { as = "aidl", release = 16, service, onLost } = options;
  const name = service.includes("/") ? service : `${INTERFACES[as]}/${service}`;
  const { bus, close } = busOf("connectComposer", as, options, given);
  let found: RemoteObject | undefined;
  try {
    found = await servicesOf(bus, { as, release }).find(name);
    if (!found) fail(`there is no service ${name}; ask the service manager for its list`);
    const forget = found.onDeath(() => onLost?.(`the process of ${name} is gone`));
    const composer = await (as === "hidl" ? connectHidl(found) : connectAidl(found, Math.floor(release)));
    return owning(composer, async () => {
      forget();
      found!.release();
      await close();
    });
  } catch (error) {
    found?.release();
    await close();
    throw hwcErrorOf("connectComposer", error);
  }
}

/** The bus that is given, which stays its owner's, or one of a device. */
function busOf(
  method: string,
  as: Language,
  { device = DEVICES[as], log }: Pick<BinderServeOptions, "device" | "log">,
  bus?: BinderBus,
): { readonly bus: BinderBus; close(): Promise<void> } {
  if (bus) return { bus, close: () => Promise.resolve() };
  try {
    const opened = openBinder(device, { log });
    return { bus: opened, close: () => opened.close() };
  } catch (error) {
    throw hwcErrorOf(method, error);
  }
}

/** The same composer, whose end is also that of what it came by. */
function owning(composer: BinderComposer, release: () => Promise<void>): BinderComposer {
  const { close: closeComposer } = composer;
  let ended: Promise<void> | undefined;
  const end = () => {
    closeComposer();
    return ended ??= release();
  };
  const close = () => void end();
  return Object.assign(composer, { close, [Symbol.dispose]: close, [Symbol.asyncDispose]: end });
}

function fail(sentence: string): never {
  throw new HwcError("connectComposer", ERROR.NO_RESOURCES, sentence);
}
