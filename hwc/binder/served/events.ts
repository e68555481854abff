import type { ComposerCallbacks } from "../../composer_records.ts";
import { CALLBACK } from "../../device_types.ts";
import type { ServedClient } from "./client.ts";

/** The calls of a client's callback object, by the composer's callbacks. */
export type EventTeller = {
  readonly [Descriptor in keyof ComposerCallbacks]?: (
    ...args: Parameters<ComposerCallbacks[Descriptor]>
  ) => Promise<unknown>;
};

/**
 * Registers for what a client wants to hear of, hotplugs last. Hotplugs are calls that wait for the client: they go one
 * after another, and those of connected displays are over when this resolves.
 */
export async function tellEvents(
  client: ServedClient,
  teller: EventTeller,
  log: (message: string) => void,
): Promise<void> {
  let hotplugs = Promise.resolve();
  const told = (call: Promise<unknown>) =>
    call.then(() => {}, (error) => {
      if (!client.isOver) log(`Cannot tell the client of an event: ${error}`);
    });
  for (const [descriptor, tell] of Object.entries(teller) as [string, (...args: never[]) => Promise<unknown>][]) {
    if (Number(descriptor) === CALLBACK.HOTPLUG) continue;
    await client.register(Number(descriptor), (...args) => void told(tell(...args)));
  }
  const tellHotplug = teller[CALLBACK.HOTPLUG]!;
  await client.register(CALLBACK.HOTPLUG, (display: bigint, connection: number) => {
    hotplugs = hotplugs.then(() => told(tellHotplug(display, connection)));
  });
  await hotplugs;
}
