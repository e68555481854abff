import { libcAddress } from "../../../ffi/libc.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { ownFlags } from "../../process/own_flags.ts";
import { VARIABLE } from "./task.ts";

const SIGKILL = 9;
/** Characters that are kept of the beginning and of the end of an output. */
const KEPT = 16 * 1024;
/** Milliseconds for the rest of an output after the end of its process, whose descendants may hold the pipe open. */
const REST = 1000;

/** The output of a process, of which the middle is left out if there is much. */
class Printed {
  #first = "";
  #last = "";
  #all = 0;

  /** Adds a piece. */
  write(text: string): void {
    this.#all += text.length;
    const room = KEPT - this.#first.length;
    this.#first += text.slice(0, room);
    this.#last = (this.#last + text.slice(room)).slice(-KEPT);
  }

  /** The text, with a line about how much is missing. */
  text(): string {
    const missing = this.#all - this.#first.length - this.#last.length;
    return missing === 0 ? this.#first + this.#last : `${this.#first}\n… ${missing} characters …\n${this.#last}`;
  }
}

/** A process of a test's file. */
export interface FileProcess {
  /** Ends the process. */
  kill(): void;
  /** Resolves when the process has ended, and with it what the process has left behind. */
  readonly ended: Promise<Deno.CommandStatus>;
  /** The output of the process: standard output and standard error. */
  readonly printed: Promise<readonly [string, string]>;
}

/** Starts a process that loads a test's file, with a task, a group of its own, and further variables. */
export function startFile(file: string, task: unknown, env: Readonly<Record<string, string>> = {}): FileProcess {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", ...ownFlags(file), file],
    env: { ...env, [VARIABLE]: JSON.stringify(task) },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    detached: true,
  }).spawn();
  const ended = child.status.finally(() => endGroup(child.pid));
  return {
    kill: () => child.kill("SIGKILL"),
    ended,
    printed: Promise.all([printedIn(child.stdout, ended), printedIn(child.stderr, ended)]),
  };
}

/**
 * Ends what a process that led its own group has left behind. Does nothing without permission for native code; Deno
 * itself requires permission to start any program for that.
 */
function endGroup(leader: number): void {
  if (Deno.permissions.querySync({ name: "ffi" }).state !== "granted") return;
  invokeAddress(libcAddress("kill"), "s:ss", [-leader, SIGKILL]); // int kill(pid_t pid, int sig)
}

/** Reads a stream to its end, or for a moment after `ended`, which resolves when the process has ended. */
async function printedIn(stream: ReadableStream<Uint8Array>, ended: Promise<unknown>): Promise<string> {
  const reader = stream.getReader(), decoder = new TextDecoder(), printed = new Printed();
  const late = Promise.withResolvers<undefined>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  void ended.then(() => timer = setTimeout(late.resolve, REST, undefined));
  for (;;) {
    const read = await Promise.race([reader.read(), late.promise]);
    if (!read || read.done) break;
    printed.write(decoder.decode(read.value, { stream: true }));
  }
  await ended;
  clearTimeout(timer);
  await reader.cancel();
  return printed.text();
}
