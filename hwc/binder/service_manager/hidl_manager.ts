import type { LocalObject } from "../bus.ts";
import type { BinderValue } from "../parcel/aidl/types.ts";
import { chainOf, hidlClient } from "../parcel/hidl/client.ts";
import { hidlService } from "../parcel/hidl/service.ts";
import { BASE, IServiceManager, IServiceNotification, TRANSPORT } from "./hidl_layout.ts";
import { isSame, type Registry, release } from "./registry.ts";

/** A name of an interface: a package, a version, a word. */
const KIND = /^[\w.]+@\d+\.\d+::\w+$/;

/** Returns the object of handle 0 of `/dev/hwbinder`. A service is found by each interface of its chain. */
export function hidlManager(registry: Registry): LocalObject {
  const find = (kind: string, name: string) => registry.find(`${kind}/${name}`)?.object ?? null;
  const instances = (kind: string): [string[]] => {
    return [registry.names.filter((name) => name.startsWith(`${kind}/`)).map((name) => name.slice(kind.length + 1))];
  };
  return hidlService(
    IServiceManager,
    {
      get: (kind, name) => [find(kind, name)],
      add: async (name, service) => [await addAsking(registry, name, service)],
      getTransport: (kind, name) => [find(kind, name) ? TRANSPORT.HWBINDER : TRANSPORT.EMPTY],
      list: () => [registry.names],
      listByInterface: instances,
      registerForNotifications: (kind, name, callback) => [watch(registry, `${kind}/${name}`, callback)],
      registerPassthroughClient: () => [],
      unregisterForNotifications: (kind, name, callback) => {
        return [withReference(callback, (object) => registry.unwatch(`${kind}/${name}`, object))];
      },
      registerClientCallback: (_kind, _name, server, callback) => [giveUp(server, callback)],
      unregisterClientCallback: (server, callback) => [giveUp(server, callback)],
      addWithChain: (name, service, chain) => [add(registry, name, service, chain)],
      listManifestByInterface: instances,
      tryUnregister: (
        kind,
        name,
        service,
      ) => [withReference(service, (object) => remove(registry, kind, name, object))],
    },
    "1.2",
  );
}

/** Asks an object for its interfaces, as the first version's services do not tell them. */
async function addAsking(registry: Registry, name: string, service: BinderValue | null): Promise<boolean> {
  if (!service || "local" in service) return false;
  const chain = await chainOf(service.remote).catch(() => []); // it is no object of HIDL, or it has ended
  return add(registry, name, service, chain);
}

/** Registers an object by each of its interfaces. */
function add(registry: Registry, name: string, service: BinderValue | null, chain: readonly string[]): boolean {
  const kinds = chain.filter((kind) => kind !== BASE && KIND.test(kind));
  if (!service || name === "" || kinds.length === 0) return giveUp(service);
  registry.add(kinds.map((kind) => `${kind}/${name}`), { object: service, stability: 0 });
  return true;
}

function watch(registry: Registry, name: string, callback: BinderValue | null): boolean {
  if (!callback || "local" in callback) return false;
  const client = hidlClient(IServiceNotification, callback.remote);
  let isPreexisting = true;
  registry.watch(name, {
    object: callback,
    tell(found) {
      const at = found.lastIndexOf("/");
      client.onRegistration(found.slice(0, at), found.slice(at + 1), isPreexisting).catch(() => {}); // it has ended
    },
  });
  isPreexisting = false;
  return true;
}

function remove(registry: Registry, kind: string, name: string, object: BinderValue): boolean {
  const known = registry.find(`${kind}/${name}`);
  if (!known || !isSame(known.object, object)) return false;
  registry.remove(`${kind}/${name}`);
  return true;
}

function withReference(object: BinderValue | null, use: (object: BinderValue) => boolean): boolean {
  if (!object) return false;
  const result = use(object);
  release(object);
  return result;
}

/** Gives objects back that are not kept: `false`. */
function giveUp(...objects: readonly (BinderValue | null)[]): false {
  for (const object of objects) if (object) release(object);
  return false;
}
