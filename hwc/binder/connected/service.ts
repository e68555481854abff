import type { LocalObject } from "../bus.ts";
import type { CommandResultPayload, IComposerClientMethods } from "../gen/composer3_gen.ts";
import type { AidlClient } from "../parcel/aidl/client.ts";
import type { BinderListeners } from "./listeners.ts";
import type { DisplaySettings } from "./command_queue.ts";

/** A composer's service, whichever language it speaks, with the methods of composer3. */
export interface RemoteService {
  /** The version of the interface. */
  readonly version: number;
  /** Whether it gives back buffers of slots that are to be cleared. */
  readonly clearsSlots: boolean;
  /** The methods of IComposerClient, but for its commands. */
  readonly methods: AidlClient<Omit<IComposerClientMethods, "executeCommands">>;
  /** Does a batch of commands. */
  executeCommands(commands: readonly DisplaySettings[]): Promise<readonly CommandResultPayload[]>;
  /** The capabilities of the device. */
  getCapabilities(): Promise<readonly number[]>;
  /** The text for people. */
  dump(): Promise<string>;
  /** The object that hears of events, and tells the listeners. */
  callbackObject(listeners: BinderListeners): LocalObject;
  /** Gives back the service's objects. */
  close(): void;
}
