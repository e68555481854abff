import { libcAddress } from "../../ffi/libc.ts";
import { BEAT, PLACE, Pulse } from "../../workbench/layer_server/server/pulse.ts";
import { ENDINGS } from "../../workbench/process/stop.ts";

/** Milliseconds: how long a hook may run on after its program has ended, and between looks. */
const GRACE = 2000, LOOK = 250;

/** The values that the thread gets at its start. */
interface Orders {
  readonly command: string;
  readonly words: Int32Array<SharedArrayBuffer>;
  readonly places: readonly number[];
  readonly grace: number;
  readonly look: number;
  readonly signals: readonly Deno.Signal[];
  /** Addresses of functions of the C library. */
  readonly waitid: bigint;
  readonly exit: bigint;
}

/** A message to the thread. */
type Message =
  | { readonly number: number; readonly place: string }
  | { readonly folder: string }
  | { readonly process: number; readonly program: string };

/**
 * A thread that watches the layers' code of a command. A hook that does not return keeps this process from everything:
 * the end of the program, signals, reports. The thread then hands signals on, and ends the process once the program has
 * ended, with a sentence that names the hook.
 */
export class HookWatch implements Disposable {
  /** The place where the layers' code notes that it runs. */
  readonly pulse: Pulse = new Pulse();
  /** Resolves when the thread hears signals. */
  readonly ready: Promise<unknown>;
  readonly #thread: Worker;

  /** Begins to watch for a command of this name. */
  constructor(command: string) {
    const source = `addEventListener("message", ({ data }) => (${watchMain})(data), { once: true });`;
    // The module is its own address: nothing is read or fetched for it.
    this.#thread = new Worker(`data:text/javascript,${encodeURIComponent(source)}`, { type: "module", name: "hooks" });
    this.ready = new Promise((resolve) => this.#thread.addEventListener("message", resolve, { once: true }));
    const [waitid, exit] = ["waitid", "_exit"].map(libcAddress), { words } = this.pulse;
    const orders: Orders = {
      command,
      words,
      places: [BEAT, PLACE],
      grace: GRACE,
      look: LOOK,
      signals: ENDINGS,
      waitid,
      exit,
    };
    this.#thread.postMessage(orders);
    this.pulse.onPlace = (number, place) => this.#tell({ number, place });
  }

  /** Says which folder goes when this process ends. */
  removes(folder: string): void {
    this.#tell({ folder });
  }

  /** Says which process of which program this one waits for. */
  follow(process: number, program: string): void {
    this.#tell({ process, program });
  }

  /** Ends the watch. */
  [Symbol.dispose](): void {
    this.#thread.terminate();
  }

  #tell(message: Message): void {
    this.#thread.postMessage(message);
  }
}

/**
 * The thread's program. The text of the function is what runs, so that the function uses nothing around it.
 */
function watchMain(orders: Orders): void {
  const { command, words, places: [beat, place], grace, look, signals } = orders;
  const names = new Map<number, string>(), EXITED = 1, P_PID = 1, WEXITED_AT_ONCE_AND_KEPT = 0x1000005;
  // deno-lint-ignore no-explicit-any -- the type of a pointer to any function
  const pointer = (address: bigint): any => Deno.UnsafePointer.create(address);
  const waitid = new Deno.UnsafeFnPointer(
    pointer(orders.waitid),
    { parameters: ["i32", "u32", "buffer", "i32"], result: "i32" } as const,
  );
  const exit = new Deno.UnsafeFnPointer(pointer(orders.exit), { parameters: ["i32"], result: "void" } as const);
  let folder: string | undefined, child: { process: number; program: string } | undefined;
  let last = -1, since = performance.now(), endedAt = Infinity;
  addEventListener("message", (event) => {
    const { data } = event as MessageEvent<Message>;
    if ("place" in data) names.set(data.number, data.place);
    else if ("folder" in data) folder = data.folder;
    else child = data;
  });
  /** Milliseconds for which the same hook has run; 0 without one. */
  function stuck(): number {
    const now = performance.now(), count = Atomics.load(words, beat);
    if (count !== last || Atomics.load(words, place) === 0) [last, since] = [count, now];
    return now - since;
  }
  /** The exit code of the program, as shells have it; undefined while it runs. */
  function ended(): number | undefined {
    const info = new Int32Array(32), CODE = 2, STATUS = 6;
    if (child === undefined || waitid.call(P_PID, child.process, info, WEXITED_AT_ONCE_AND_KEPT) !== 0) {
      return undefined;
    }
    if (info[CODE] === 0) return undefined;
    return info[CODE] === EXITED ? info[STATUS] : 128 + info[STATUS];
  }
  function end(why: string, code: number): void {
    const hook = names.get(Atomics.load(words, place)) ?? "a hook";
    console.error(
      `${command}: ${hook} does not return ${why}; this command ends without it: the reports of the layers are missing, and ` +
        "files that they write may lack their end",
    );
    try {
      if (folder !== undefined) Deno.removeSync(folder, { recursive: true });
    } catch {
      // the folder is gone
    }
    exit.call(code || 1);
  }
  /** Signals that the thread of the hooks has perhaps not heard: that thread has moved on, or hangs. */
  const unheard: { signal: Deno.Signal; count: number; time: number }[] = [];
  for (const signal of signals) {
    const note = () => unheard.push({ signal, count: Atomics.load(words, beat), time: performance.now() });
    Deno.addSignalListener(signal, () => void note());
  }
  (globalThis as unknown as Pick<Worker, "postMessage">).postMessage("ready");
  function hear(now: number): void {
    const count = Atomics.load(words, beat), hangs = Atomics.load(words, place) !== 0;
    for (const each of unheard.splice(0)) {
      if (!hangs || each.count !== count) continue;
      if (now - each.time < look) unheard.push(each);
      else if (child === undefined) end(`after ${each.signal}`, 1);
      else if (each.signal !== "SIGINT") Deno.kill(child.process, each.signal); // a terminal sends SIGINT to both
    }
  }
  setInterval(() => {
    const code = ended(), now = performance.now(), time = stuck();
    hear(now);
    if (code === undefined) return void (endedAt = Infinity);
    endedAt = Math.min(endedAt, now);
    if (Math.min(time, now - endedAt) > grace) end(`since ${child!.program} has ended`, code);
  }, look);
}
