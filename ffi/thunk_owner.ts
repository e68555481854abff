import { THUNK } from "./emit/layout.ts";

/** The records of open thunks. */
const open = new Set<DataView>();
let listening = false;

/** Lets the owning thread in. */
export function openOwner(record: DataView, thread: bigint): void {
  if (!listening) {
    listening = true;
    // Drivers and layers call back as late as in the process's exit handlers, when this isolate is gone.
    globalThis.addEventListener("unload", shutAll);
  }
  open.add(record);
  record.setBigUint64(THUNK.owner, thread, true);
}

/** Lets nobody in any more. */
export function shutOwner(record: DataView): void {
  record.setBigUint64(THUNK.owner, 0n, true);
  open.delete(record);
}

function shutAll(): void {
  for (const record of open) record.setBigUint64(THUNK.owner, 0n, true);
}
