import { closeDescriptor, createEvent, duplicate, signalEvent } from "../../../ffi/file/file_descriptor.ts";
import { noDescriptor } from "../../../wsi/fence/descriptor.ts";
import type { NativeFence } from "../../../wsi/fence/native_fence.ts";
import type { ChangedCompositionType, ClientTargetProperty, DisplayRequests } from "../../composer_records.ts";
import { HwcError } from "../../hwc_error.ts";
import { ERROR } from "../../types.ts";
import type { ServedClient } from "./client.ts";

/** The outcome of a validation, as its client is told. */
export interface Validated {
  readonly changes: readonly ChangedCompositionType[];
  readonly requests: DisplayRequests;
  readonly target: ClientTargetProperty | undefined;
}

/** The outcome of a presented frame; its descriptors are the caller's. */
export interface Presented {
  /** -1 for a frame that has appeared. */
  readonly fence: number;
  readonly releases: readonly { readonly layer: bigint; readonly fence: number }[];
}

/** Validates a display, and asks what always follows. */
export async function validate(client: ServedClient, display: bigint): Promise<Validated> {
  await client.call("validateDisplay", display);
  return {
    changes: await client.call("getChangedCompositionTypes", display),
    requests: await client.call("getDisplayRequests", display),
    target: await targetProperty(client, display),
  };
}

/** Not every device wants something of the client target. */
async function targetProperty(client: ServedClient, display: bigint): Promise<ClientTargetProperty | undefined> {
  try {
    return await client.call("getClientTargetProperty", display);
  } catch (error) {
    if (!(error instanceof HwcError) || error.code !== ERROR.UNSUPPORTED) throw error;
  }
}

/** Presents a display, and asks for the fences of what the frame replaced. */
export async function present(client: ServedClient, display: bigint): Promise<Presented> {
  const shown = await client.call("presentDisplay", display), fences: NativeFence[] = [shown];
  const sent = new SentFences(client);
  try {
    const found = await client.call("getReleaseFences", display);
    fences.push(...found.map(({ fence }) => fence));
    const releases = found.map(({ layer, fence }) => ({ layer, fence: sent.descriptorOf(fence) }));
    return { fence: sent.presentOf(shown), releases };
  } catch (error) {
    sent.close();
    throw error;
  } finally {
    for (const fence of fences) fence.close();
  }
}

/**
 * Descriptors for the fences of a frame, each its own. The fences are usually duplicates of one, which is carried over
 * once: that takes a pair of sockets and a thread's work, a duplicate of its descriptor little.
 */
class SentFences {
  readonly #client: ServedClient;
  readonly #known: { readonly fence: NativeFence; readonly fd: number }[] = [];
  readonly #opened: number[] = [];

  constructor(client: ServedClient) {
    this.#client = client;
  }

  /** A descriptor also for a fence that is signalled: its layer is named by being in the list. */
  descriptorOf(fence: NativeFence): number {
    const known = this.#known.find((each) => each.fence.isDuplicateOf(fence));
    const fd = known ? duplicate(known.fd) : this.#first(fence);
    if (fd < 0) throw noDescriptor("a fence for another process");
    this.#opened.push(fd);
    return fd;
  }

  /** The same for the frame's own fence; -1 if it is signalled. */
  presentOf(fence: NativeFence): number {
    return fence.poll() ? -1 : this.descriptorOf(fence);
  }

  close(): void {
    this.#opened.forEach(closeDescriptor);
  }

  #first(fence: NativeFence): number {
    let fd = this.#client.relay.descriptorOf(fence);
    if (fd < 0) signalEvent(fd = createEvent());
    this.#known.push({ fence, fd });
    return fd;
  }
}

/** The outcome for a display that was to be presented at once if nothing needs a validation. */
export type PresentedOrValidated = { readonly presented: Presented } | { readonly validated: Validated };

/** Presents a display as it is, and validates it where that is not enough. */
export async function presentOrValidate(client: ServedClient, display: bigint): Promise<PresentedOrValidated> {
  try {
    return { presented: await present(client, display) };
  } catch (error) {
    if (!(error instanceof HwcError) || error.code !== ERROR.NOT_VALIDATED) throw error;
    return { validated: await validate(client, display) };
  }
}
