import { THUNK } from "../emit/layout.ts";
import type { PoolEntry } from "./pool.ts";
import { storeAtThreadEnd } from "../thread_end.ts";

/** What takes back, for each open thunk, what its isolate's end would have done. */
const open = new Map<DataView, () => void>();

/** Lets the owning thread in; when that ends, every caller goes to `next`, or gets the failure where there is none. */
export function openOwner({ record, recordAddress }: PoolEntry, thread: bigint, next: bigint): void {
  const stores = [
    storeAtThreadEnd(recordAddress + BigInt(THUNK.next), next),
    storeAtThreadEnd(recordAddress + BigInt(THUNK.ring), 0n),
    storeAtThreadEnd(recordAddress + BigInt(THUNK.owner), 0n),
  ];
  open.set(record, () => stores.forEach((takeBack) => takeBack()));
  record.setBigUint64(THUNK.owner, thread, true);
}

/** Lets nobody in any more. */
export function shutOwner(record: DataView): void {
  record.setBigUint64(THUNK.owner, 0n, true);
  open.get(record)?.();
  open.delete(record);
}
