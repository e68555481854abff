import { readCString } from "../../ffi/cstring.ts";
import { peek32, peek64 } from "../../ffi/machine.ts";

/** Where VkInstanceCreateInfo and VkDeviceCreateInfo have what both have, and the instance's application info. */
const AT = { pNext: 8n, application: 24n, extensionCount: 48n, extensionNames: 56n } as const;
/** VkApplicationInfo.apiVersion. */
const API_VERSION = 44n;

/** The extension names in a create info at an address. */
export function requestedExtensions(info: bigint): string[] {
  const names = peek64(info + AT.extensionNames), count = names === 0n ? 0 : peek32(info + AT.extensionCount);
  return Array.from({ length: count }, (_, index) => readCString(peek64(names + BigInt(8 * index))));
}

/** The apiVersion in a VkInstanceCreateInfo; 0 without an application info. */
export function requestedVersion(info: bigint): number {
  const application = peek64(info + AT.application);
  return application === 0n ? 0 : peek32(application + API_VERSION);
}

/** The structs of a chain, by address. */
export function* chain(first: bigint): Generator<{ sType: number; address: bigint }> {
  for (let address = first; address !== 0n; address = peek64(address + AT.pNext)) {
    yield { sType: peek32(address), address };
  }
}

/** The struct of a type in a chain; 0n when there is none. */
export function findInChain(first: bigint, sType: number): bigint {
  for (const each of chain(first)) if (each.sType === sType) return each.address;
  return 0n;
}

/** The first struct of the chain of the struct at an address; 0n when it has none. */
export function nextOf(info: bigint): bigint {
  return peek64(info + AT.pNext);
}
