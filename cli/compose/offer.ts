import { STATUS } from "../../hwc/binder/status.ts";
import { BinderStatusError } from "../../hwc/binder/status.ts";
import type { BinderBus } from "../../hwc/binder/bus.ts";
import { openBinder } from "../../hwc/binder/driver/open_binder.ts";
import { serveOverBinder } from "../../hwc/binder/over_binder.ts";
import { composerService } from "../../hwc/binder/serve.ts";
import { type ServiceManager, serviceManager } from "../../hwc/binder/service_manager/service_manager.ts";
import type { ReferenceComposer } from "../../hwc/mod.ts";
import { languageOf } from "../../workbench/process/binder.ts";
import type { Reporter } from "./reporter.ts";

/** The place of an offered composer, and its end. */
export interface Offer {
  /** The device of the kernel's binder. */
  readonly device: string;
  /** The number of frames that are shown; Infinity for no end. */
  readonly frames: number;
}

/**
 * Offers a composer to another process by binder until it has shown the frames, or until `stop` resolves. A device
 * without a service manager gets one.
 */
export async function offerComposer(
  composer: ReferenceComposer,
  { device, frames }: Offer,
  reporter: Reporter,
  stop: { readonly promise: Promise<void>; now(): void },
): Promise<void> {
  await using owned = new AsyncDisposableStack();
  const log = (message: string) => reporter.warn(message), bus = openBinder(device, { log });
  owned.defer(() => bus.close());
  const as = languageOf(device), manager = await managerOf(bus, as), shown = new Map<bigint, number>();
  owned.defer(composer.onFlip((display) => {
    shown.set(display, (shown.get(display) ?? 0) + 1);
    if (shown.get(display)! >= frames) stop.now();
  }));
  const name = await offer(composer, { bus, as, log, manager }, owned);
  reporter.say(`${name} at ${device}, whose service manager is ${manager ? "this program" : "another program's"}`);
  await stop.promise;
  const counts = [...shown.values()].join(", ");
  reporter.say(`${counts || "no"} frames were shown`);
}

interface Way {
  readonly bus: BinderBus;
  readonly as: "aidl" | "hidl";
  readonly log: (message: string) => void;
  readonly manager: ServiceManager | undefined;
}

/** A service manager cannot call itself: what is its own process's is added to it directly. */
async function offer(
  composer: ReferenceComposer,
  { bus, as, log, manager }: Way,
  owned: AsyncDisposableStack,
): Promise<string> {
  if (!manager) return owned.use(await serveOverBinder(composer, { as, log }, bus)).name;
  const service = owned.use(composerService(composer, { as, log })), name = `${service.descriptor}/default`;
  const versions = as === "aidl" ? [""] : ["2.1", "2.2", "2.3", "2.4"];
  for (const version of versions) manager.add(name.replace(/(?<=@)[\d.]+/, version), service.object);
  return name;
}

async function managerOf(bus: BinderBus, as: "aidl" | "hidl"): Promise<ServiceManager | undefined> {
  try {
    return await serviceManager(bus, { as });
  } catch (error) {
    if (error instanceof BinderStatusError && error.code === STATUS.ALREADY_EXISTS) return undefined;
    throw error;
  }
}
