import { THUNK } from "./emit/layout.ts";

/** The records of open thunks, and where each leads when nobody may run TypeScript any more. */
const open = new Map<DataView, bigint>();
let listening = false;

/** Lets the owning thread in. */
export function openOwner(record: DataView, thread: bigint, next: bigint): void {
  if (!listening) {
    listening = true;
    // Drivers and layers call back as late as in the process's exit handlers, when this isolate is gone.
    globalThis.addEventListener("unload", shutAll);
  }
  open.set(record, next);
  record.setBigUint64(THUNK.owner, thread, true);
}

/** Lets nobody in any more. */
export function shutOwner(record: DataView): void {
  record.setBigUint64(THUNK.owner, 0n, true);
  open.delete(record);
}

function shutAll(): void {
  for (const [record, next] of open) {
    record.setBigUint64(THUNK.owner, 0n, true);
    record.setBigUint64(THUNK.next, next, true);
  }
}
