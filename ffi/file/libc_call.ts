import { libcAddress } from "../libc.ts";
import { bindByAddress } from "../stubs.ts";

const addresses = new Map<string, bigint>();

/** The address of a function of the C library, looked up once. */
export function addressOf(name: string): bigint {
  let address = addresses.get(name);
  if (address === undefined) addresses.set(name, address = libcAddress(name));
  return address;
}

/** Calls a function of the C library by name, as {@linkcode bindByAddress} does; for those that return an int. */
export function callLibc(name: string, signature: string, ...args: (number | bigint)[]): number {
  return bindByAddress(signature)(...args, addressOf(name)) as number;
}
