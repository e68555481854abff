import type { LocalObject, RemoteObject } from "../bus.ts";
import { type HidlClient, hidlClient } from "../parcel/hidl/client.ts";
import { failWith, STATUS } from "../status.ts";
import { IServiceManager, type ManagerMethods } from "./hidl_layout.ts";

/** The manager of services at handle 0 of `/dev/hwbinder`. A service has an interface and an instance. */
export class HidlManagerClient {
  readonly #manager: HidlClient<ManagerMethods>;

  /** `manager` is handle 0. */
  constructor(manager: RemoteObject) {
    this.#manager = hidlClient(IServiceManager, manager);
  }

  /** Returns a service by `INTERFACE/INSTANCE`, which the caller releases; `undefined` if there is none. */
  async find(name: string): Promise<RemoteObject | undefined> {
    const [found] = await this.#manager.get(...split(name));
    return found && "remote" in found ? found.remote : undefined;
  }

  /** Registers an object under an instance's name, for each of its interfaces, of which it is asked. */
  async add(name: string, object: LocalObject): Promise<void> {
    const [isAdded] = await this.#manager.add(split(name)[1], { local: object });
    if (!isAdded) failWith(STATUS.INVALID_OPERATION, `the service manager does not take ${name}`);
  }

  /** Returns `INTERFACE/INSTANCE` of all services. */
  async list(): Promise<readonly string[]> {
    return (await this.#manager.list())[0];
  }
}

function split(name: string): [kind: string, instance: string] {
  const at = name.lastIndexOf("/");
  return at < 0 ? [name, "default"] : [name.slice(0, at), name.slice(at + 1)];
}
