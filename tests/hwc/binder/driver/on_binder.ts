/**
 * Devices of the kernel's binder for tests, each with a context manager of its own, and what the kernel says that it
 * keeps.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { inFrame } from "../../../../ffi/arena.ts";
import {
  closeDescriptor,
  controlDevice,
  errorName,
  lastError,
  openFile,
} from "../../../../ffi/file/file_descriptor.ts";
import type { BinderItem, LocalObject, Message, RemoteObject } from "../../../../hwc/binder/bus.ts";
import type { KernelBus } from "../../../../hwc/binder/driver/kernel_bus.ts";
import { openBinder } from "../../../../hwc/binder/driver/open_binder.ts";
import { STATUS } from "../../../../hwc/binder/status.ts";
import { openFiles } from "../../../support/open_files.ts";
import { needs } from "../../../support/require.ts";
import { assertNoMoreFiles } from "../../../wsi/files_left.ts";
import { until } from "../../../support/until.ts";

/** These tests run in a virtual machine whose kernel has binder; elsewhere they are skipped by name. */
export const ON_BINDER: { ignore: boolean } = Deno.env.get("PUMICE_VM") === "1"
  ? needs("binder, in the virtual machine of `deno task test:vm`", true)
  : { ignore: true };

/** The folder of the machine's binderfs. */
export const BINDERFS = "/dev/binderfs";
const CONTROL_ADD = 0xc1086201, NAME_SIZE = 256, ADD_SIZE = 264;

/** Makes a device of its own, removed at the end. */
export class TestDevice implements Disposable {
  readonly path: string;

  constructor(name: string = `test-${crypto.randomUUID()}`) {
    this.path = `${BINDERFS}/${name}`;
    const control = openFile(`${BINDERFS}/binder-control`, 0);
    const failed = inFrame((memory) => {
      const at = memory.alloc(ADD_SIZE);
      memory.bytes.fill(0, at, at + ADD_SIZE);
      memory.bytes.set(new TextEncoder().encode(name).subarray(0, NAME_SIZE - 1), at);
      return controlDevice(control, CONTROL_ADD, at) < 0 ? errorName(lastError()) : "";
    });
    closeDescriptor(control);
    if (failed) throw new Error(`${BINDERFS} makes no device ${name}: ${failed}`);
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.path);
  }
}

/** The kernel's counts for all processes: processes, threads, nodes, references, buffers and so on. */
export function inUse(): Record<string, number> {
  const text = Deno.readTextFileSync(`${BINDERFS}/binder_logs/stats`).split(/^proc \d+$/m)[0];
  const found = [...text.matchAll(/^(\w+): active (\d+) total/gm)].map(([, name, count]) => [name, Number(count)]);
  return Object.fromEntries(found);
}

/**
 * Fails if the kernel keeps something that it did not keep before. The end of a process is worked off a moment later.
 * `pooled` is what a bus that stays open may keep for its next calls.
 */
export async function assertNothingKept(before: Record<string, number>, pooled: string = ""): Promise<void> {
  const kept = () => {
    const more = Object.entries(inUse()).filter(([name, count]) => count > (before[name] ?? 0) && name !== pooled);
    return Object.fromEntries(more);
  };
  for (let turn = 0; turn < 400 && Object.keys(kept()).length > 0; turn++) {
    await new Promise((done) => setTimeout(done, 25));
  }
  assertEquals(kept(), {}, "the kernel keeps more than before");
}

/** The device that has a context manager of its own process. */
export const BROKERED = `${BINDERFS}/broker`;
const BROKER = new URL("broker.ts", import.meta.url).pathname;
const IMPORT_MAP = new URL("../../../../tools/offline_import_map.json", import.meta.url).pathname;

/** Returns the words that run a program of this project. */
export function denoRun(path: string, ...args: string[]): string[] {
  return [Deno.execPath(), "run", "-A", "--no-check", "--quiet", `--import-map=${IMPORT_MAP}`, path, ...args];
}

/** Starts the broker, unless this was done. No handle of this process keeps it. */
async function startBroker(): Promise<void> {
  try {
    Deno.statSync(BROKERED);
    return;
  } catch {
    void new TestDevice("broker");
  }
  const line = denoRun(BROKER, BROKERED, `${Deno.pid}`).map((word) => `'${word}'`).join(" ");
  await new Deno.Command("sh", { args: ["-c", `${line} > /dev/null 2>&1 < /dev/null &`] }).output();
  const bus = openBinder(BROKERED), manager = bus.contextManager();
  const isThere = () => manager.transact(2, message([255, 255, 255, 127])).catch(({ code }) => code);
  for (let turn = 0; turn < 600 && await isThere() === STATUS.DEAD_OBJECT; turn++) {
    await new Promise((done) => setTimeout(done, 100));
  }
  await bus.close();
}

/** Two peers on one device: one open is one process to the kernel. */
export interface Peers {
  readonly server: KernelBus;
  readonly client: KernelBus;
  /** The server's object, as the client sees it. */
  readonly object: RemoteObject;
  /** Sentences that either side logged. */
  readonly said: string[];
}

let lastNumber = 0;

/** Runs with two peers, and then neither the kernel nor this process keeps anything. */
export async function withPeers(serve: LocalObject["transact"], use: (peers: Peers) => Promise<void>): Promise<void> {
  await startBroker();
  const before = inUse(), files = openFiles(), said: string[] = [], number = ++lastNumber & 0xff;
  const log = (sentence: string) => void said.push(sentence);
  const server = openBinder(BROKERED, { log }), client = openBinder(BROKERED, { log });
  try {
    const local: LocalObject = { transact: serve };
    await server.contextManager().transact(1, {
      ...message([number, ...new Uint8Array(27)]),
      items: [{ at: 4, kind: "local", object: local }],
    });
    const object = remoteOf((await client.contextManager().transact(2, message([number, 0, 0, 0]))).items[0]);
    await use({ server, client, object, said });
    object.release();
    await client.contextManager().transact(3, message([number, 0, 0, 0]));
    const counts = () => [server, client].map(({ counts: { locals, remotes } }) => locals + remotes);
    await until("both sides keep no object", () => `${counts()}` === "0,0");
    assertEquals(counts(), [0, 0], "an object is kept by the server, by the client");
  } finally {
    await client.close();
    await server.close();
  }
  await assertNothingKept(before);
  await assertNoMoreFiles(files);
}

/** A message of bytes, or of zeros, with items. */
export function message(bytes: number | readonly number[] = 0, ...items: BinderItem[]): Message {
  return { bytes: typeof bytes === "number" ? new Uint8Array(bytes) : Uint8Array.from(bytes), items };
}

/** The remote object of an item. */
export function remoteOf(item: BinderItem): RemoteObject {
  if (item.kind !== "remote") throw new Error(`an object of another process was expected: ${item.kind}`);
  return item.object;
}
