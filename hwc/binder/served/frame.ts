import { closeDescriptor, createEvent, signalEvent } from "../../../ffi/file/file_descriptor.ts";
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
    target: await client.call("getClientTargetProperty", display).catch(ignoreUnsupported),
  };
}

/** Not every device wants something of the client target. */
function ignoreUnsupported(error: unknown): undefined {
  if (!(error instanceof HwcError) || error.code !== ERROR.UNSUPPORTED) throw error;
}

/** Presents a display, and asks for the fences of what the frame replaced. */
export async function present(client: ServedClient, display: bigint): Promise<Presented> {
  const shown = await client.call("presentDisplay", display), fences: NativeFence[] = [shown];
  const opened: number[] = [];
  try {
    const found = await client.call("getReleaseFences", display);
    fences.push(...found.map(({ fence }) => fence));
    const releases = found.map(({ layer, fence }) => {
      const fd = descriptorOf(client, fence);
      opened.push(fd);
      return { layer, fence: fd };
    });
    return { fence: client.relay.descriptorOf(shown), releases };
  } catch (error) {
    opened.forEach(closeDescriptor);
    throw error;
  } finally {
    for (const fence of fences) fence.close();
  }
}

/** A descriptor also for a fence that is signalled: its layer is named by being in the list. */
function descriptorOf(client: ServedClient, fence: NativeFence): number {
  const fd = client.relay.descriptorOf(fence);
  if (fd >= 0) return fd;
  const event = createEvent();
  signalEvent(event);
  return event;
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
