import type { AsyncComposer } from "../../composer.ts";
import { CAPABILITY } from "../../device_types.ts";
import type { LocalObject } from "../bus.ts";
import { type DisplayCommand, IComposer, IComposerClient } from "../gen/composer3_gen.ts";
import type { Dialect } from "../parcel/aidl/dialect.ts";
import { aidlService } from "../parcel/aidl/service.ts";
import type { BinderValue } from "../parcel/aidl/types.ts";
import { ClientCallback } from "../served/client_callback.ts";
import { ServedClient } from "../served/client.ts";
import type { OneClient } from "../served/one_client.ts";
import { tellAidlClient } from "./callbacks.ts";
import { exceptionOf } from "../errors.ts";
import { execute } from "../served/execute.ts";
import { composerClientMethods } from "../served/methods.ts";

/** The hashes of the frozen interfaces, by version. That of version 4 is not known: it is told as not frozen. */
const HASHES: Readonly<Record<number, string>> = {
  1: "6e0e98f955d0bf3e7502a30fac0465e56cc98e75",
  2: "b6d53bcf537cbe89633b1622e2b065ea17291234",
  3: "d24fcd9648b8b2e7287f9238eee9180244612c10",
};
/** The newest capability of each version. */
const MOST_CAPABILITY: Readonly<Record<number, number>> = { 1: 5, 2: 7, 3: 8, 4: 8 };

/** The AIDL service of a composer: the object of `IComposer`, for one client at a time. */
export function aidlComposer(
  composer: AsyncComposer,
  dialect: Dialect,
  clients: OneClient,
  log: (message: string) => void,
): LocalObject {
  const hash = HASHES[dialect.version] ?? "notfrozen", facts = { hash, failed: exceptionOf };
  return aidlService(
    IComposer,
    {
      async createClient() {
        const client = await clients.admit(() => new ServedClient(composer, log));
        return { local: clientObject(client, dialect, hash, log) };
      },
      async getCapabilities() {
        const all = [...await composer.getCapabilities(), CAPABILITY.LAYER_LIFECYCLE_BATCH_COMMAND]; // is this service's
        return [...new Set(all)].filter((capability) => capability <= MOST_CAPABILITY[dialect.version]);
      },
    },
    dialect,
    { ...facts, dump: () => composer.dump() },
  );
}

function clientObject(
  client: ServedClient,
  dialect: Dialect,
  hash: string,
  log: (message: string) => void,
): LocalObject {
  const callback = new ClientCallback();
  let executing: Promise<unknown> = Promise.resolve();
  const handlers = {
    ...composerClientMethods(client),
    /** Batches are done one after another, whichever threads send them. */
    executeCommands(commands: readonly DisplayCommand[]) {
      const done = executing.then(() => execute(client, commands, log));
      executing = done.catch(() => {});
      return done;
    },
    async registerCallback(value: BinderValue | null) {
      const remote = callback.take(value, () => void client.end());
      await tellAidlClient(client, remote, dialect, log);
    },
  };
  return aidlService(IComposerClient, handlers, dialect, {
    hash,
    failed: exceptionOf,
    async released() {
      await client.end();
      callback.release();
    },
  });
}
