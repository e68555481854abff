/**
 * A context manager in a process of its own, for the kernel lets nobody call handle 0 from the process that owns it.
 * Keeps objects by number: code 1 takes one, 2 gives it, 3 forgets it. Ends with the process whose number it is given.
 *
 * @module
 */
import type { LocalObject, RemoteObject } from "../../../../hwc/binder/bus.ts";
import { openBinder } from "../../../../hwc/binder/driver/open_binder.ts";
import { BinderStatusError, STATUS } from "../../../../hwc/binder/status.ts";
import { message } from "./on_binder.ts";

const [path, owner] = Deno.args, kept = new Map<number, RemoteObject>();

const broker: LocalObject = {
  transact(code, { bytes, items: [item] }) {
    const number = new DataView(bytes.buffer).getInt32(0, true), known = kept.get(number);
    if (code === 1 && item.kind === "remote") kept.set(number, item.object);
    else if (!known) throw new BinderStatusError(STATUS.NAME_NOT_FOUND, "there is no such object");
    else if (code === 2) return message(24, { at: 0, kind: "remote", object: known });
    else if (kept.delete(number)) known.release();
    return message();
  },
};

if (import.meta.main) {
  const bus = openBinder(path, { log: console.error });
  await bus.becomeContextManager(broker);
  const isAlive = () => Deno.readTextFileSync(`/proc/${owner}/stat`).length > 0;
  for (let alive = true; alive;) {
    await new Promise((done) => setTimeout(done, 1000));
    try {
      alive = isAlive();
    } catch {
      alive = false;
    }
  }
  await bus.close();
}
