import type { AsyncComposer } from "../../composer.ts";
import { ERROR } from "../../types.ts";
import type { LocalObject } from "../bus.ts";
import { codeOf } from "../errors.ts";
import { IComposer, IComposerClient, type IComposerClientMethods } from "../gen/composer_hidl_gen.ts";
import type { BinderValue } from "../parcel/aidl/types.ts";
import { type HidlHandlers, hidlService } from "../parcel/hidl/service.ts";
import type { NativeHandle } from "../parcel/hidl/parcel.ts";
import type { QueueDescriptor } from "../parcel/hidl/types.ts";
import { ClientCallback } from "../served/client_callback.ts";
import { ServedClient } from "../served/client.ts";
import type { OneClient } from "../served/one_client.ts";
import { tellHidlClient } from "./callbacks.ts";
import { CommandEngine } from "./command_engine.ts";
import { hidlMethods } from "./methods.ts";
import { inAllVersions } from "./versions.ts";

/** SKIP_VALIDATE, which HIDL has no name for; those behind it came with AIDL. */
const MOST_CAPABILITY = 4;

/** The HIDL service of a composer, up to a version: the object of `IComposer`, for one client at a time. */
export function hidlComposer(
  composer: AsyncComposer,
  version: string,
  clients: OneClient,
  log: (message: string) => void,
): LocalObject {
  const createClient = async (): Promise<[number, BinderValue | null]> => {
    try {
      const client = await clients.admit(() => new ServedClient(composer, log));
      return [ERROR.NONE, { local: clientObject(client, version, log) }];
    } catch (error) {
      return [codeOf(error), null];
    }
  };
  return hidlService(IComposer, {
    getCapabilities: async () => [(await composer.getCapabilities()).filter((one) => one <= MOST_CAPABILITY)],
    dumpDebugInfo: async () => [await composer.dump()],
    createClient,
    createClient_2_3: createClient,
    createClient_2_4: createClient,
  }, version);
}

function clientObject(client: ServedClient, version: string, log: (message: string) => void): LocalObject {
  const callback = new ClientCallback(), engine = new CommandEngine(client, version, log);
  const register = async (value: BinderValue | null, isNewest: boolean): Promise<[]> => {
    try {
      await tellHidlClient(client, callback.take(value, () => void client.end()), isNewest, log);
    } catch (error) {
      log(`The callback cannot be registered: ${error}`); // there is no word for it
    }
    return [];
  };
  const handlers = {
    ...inAllVersions(IComposerClient, {
      ...hidlMethods(client, version, log),
      setInputCommandQueue: (descriptor: QueueDescriptor) => engine.setInput(descriptor),
      getOutputCommandQueue: () => engine.getOutput(),
      executeCommands: (count: number, handles: readonly (NativeHandle | null)[]) => engine.execute(count, handles),
    }),
    registerCallback: (value: BinderValue | null) => register(value, false),
    registerCallback_2_4: (value: BinderValue | null) => register(value, true),
  };
  return hidlService(
    IComposerClient,
    handlers as unknown as HidlHandlers<IComposerClientMethods>,
    version,
    async () => {
      await client.end();
      engine.close();
      callback.release();
    },
  );
}
