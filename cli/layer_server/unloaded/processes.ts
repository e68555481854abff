import { inFrame } from "../../../ffi/arena.ts";
import { cstring } from "../../../ffi/cstring.ts";
import {
  closeDescriptor,
  namesIn,
  openFile,
  readFirstBytes,
  readInto,
  readLines,
} from "../../../ffi/file/file_descriptor.ts";
import { callLibc } from "../../../ffi/invoke.ts";

/** The facts that /proc has of a process of a program. */
export interface SeenProcess {
  /** The process's number and name, for people. */
  readonly label: string;
  /** The user whose rights the process has. */
  readonly user: number;
  /** Whether the process opened a library of the interface: the loader of Vulkan, or any library of EGL. */
  readonly hasInterface: boolean;
  /** Whether the kernel marks the process as privileged, so that loaders ignore variables. */
  readonly isPrivileged: boolean;
  /** Whether the process is a program of 32 bits. */
  readonly is32Bit: boolean;
  /** Whether the process has the variable that names the layers. */
  readonly hasVariable: boolean;
  /** Whether the folder of the layers is where the process would look. */
  readonly hasFolder: boolean;
  /** Whether the process numbers other processes as this one does. */
  readonly hasSameNumbers: boolean;
}

/** The marks of a process that could load the layers. */
export interface Sought {
  /** The folder with the layer library. */
  readonly folder: string;
  /** The name of the variable that contains the folder. */
  readonly variables: readonly string[];
  /** Libraries of the interface, as the paths of mappings have them. */
  readonly libraries: RegExp;
}

/** O_PATH: opens nothing, so that nobody hears of it. */
const PATH_ONLY = 0o10000000;
/** Numbers of the auxiliary vector: AT_SECURE. */
const AT_SECURE = 23n;
/** Milliseconds between looks: at first, and at most. Looks take a hundredth of the time at most. */
const FIRST = 10, MOST = 1000;

/** Looks at the processes of a program again and again, until told to stop. */
export class ProcessLooks implements Disposable {
  readonly #seen = new Map<number, SeenProcess>();
  readonly #root: number;
  readonly #sought: Sought;
  readonly #isEnough: () => boolean;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pause = FIRST;

  /** Begins to look at a process and its descendants; no more once `isEnough` says so. */
  constructor(root: number, sought: Sought, isEnough: () => boolean) {
    this.#root = root;
    this.#sought = sought;
    this.#isEnough = isEnough;
    this.#look();
  }

  /** The processes, each as it was when it was last seen. */
  get seen(): readonly SeenProcess[] {
    return [...this.#seen.values()];
  }

  /** Ends the looks. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #look(): void {
    if (this.#isEnough()) return;
    const begin = performance.now();
    for (const process of family(this.#root)) {
      const seen = look(process, this.#sought);
      if (seen) this.#seen.set(process, seen);
    }
    this.#pause = Math.min(MOST, Math.max(this.#pause * 1.2, (performance.now() - begin) * 100));
    this.#timer = setTimeout(() => this.#look(), this.#pause);
  }
}

/** A process and its descendants. */
function family(process: number): number[] {
  const threads = namesIn(`/proc/${process}/task`);
  const children = threads.flatMap((thread) =>
    readLines(`/proc/${process}/task/${thread}/children`).join(" ").split(" ")
  );
  return [process, ...children.filter((child) => child !== "").flatMap((child) => family(Number(child)))];
}

/** Looks at a process; `undefined` for one that has ended. */
function look(process: number, { folder, variables, libraries }: Sought): SeenProcess | undefined {
  const at = `/proc/${process}`, status = readLines(`${at}/status`).join("\n");
  const [, name, user] = /^Name:\s*(.*)$[^]*^Uid:\s*\d+\s+(\d+)/m.exec(status) ?? [];
  if (user === undefined || /^State:\s*[ZX]/m.test(status)) return undefined;
  const environment = readLines(`${at}/environ`).join("\n");
  return {
    label: `${name} (process ${process})`,
    user: Number(user),
    hasInterface: readLines(`${at}/maps`).some((line) => libraries.test(line)),
    isPrivileged: auxiliary(readFirstBytes(`${at}/auxv`), AT_SECURE) === 1n,
    is32Bit: readFirstBytes(`${at}/exe`)[4] === 1,
    hasVariable: environment === "" || variables.some((variable) => named(environment, variable)?.includes(folder)),
    hasFolder: isFolder(`${at}/root${folder}`) || !isFolder(`${at}/root/`),
    hasSameNumbers: !/^NSpid:\s*\d+\s+\d/m.test(status),
  };
}

/** The value of a variable among those that a process began with. */
function named(environment: string, name: string): string | undefined {
  return environment.split("\0").find((line) => line.startsWith(`${name}=`));
}

function auxiliary(bytes: Uint8Array<ArrayBuffer>, wanted: bigint): bigint | undefined {
  const words = new BigUint64Array(bytes.buffer, 0, bytes.byteLength >> 3);
  for (let at = 0; at + 1 < words.length; at += 2) if (words[at] === wanted) return words[at + 1];
  return undefined;
}

function isFolder(path: string): boolean {
  const file = openFile(path, PATH_ONLY);
  closeDescriptor(file);
  return file >= 0;
}

/** IN_NONBLOCK | IN_CLOEXEC, and IN_OPEN. */
const AT_ONCE = 0o2004000, OPENED = 0x20;
/** `struct inotify_event` of `sys/inotify.h`: where the length of the name is, and where the name begins. */
const EVENT = { length: 12, name: 16 } as const;
const ROOM = 16384;

/**
 * The files of a folder that any process opens, as the kernel tells: also those of a process that has ended, or that
 * has the folder elsewhere, as in a container.
 */
export class OpenedFiles implements Disposable {
  readonly #names = new Set<string>();
  readonly #watch: number;

  /** Watches a folder from now on. */
  constructor(folder: string) {
    this.#watch = callLibc("inotify_init1", "s:s", AT_ONCE);
    inFrame((memory) => {
      const path = cstring(folder), at = memory.alloc(path.length);
      memory.bytes.set(path, at);
      callLibc("inotify_add_watch", "s:sos", this.#watch, at, OPENED);
    });
  }

  /** Whether a file was opened so far; `false` where the kernel watches nothing. */
  has(name: string): boolean {
    while (this.#read());
    return this.#names.has(name);
  }

  /** Ends the watch. */
  [Symbol.dispose](): void {
    closeDescriptor(this.#watch);
  }

  /** Reads the events that have come. Returns whether there were any. */
  #read(): boolean {
    return inFrame((memory) => {
      const start = memory.alloc(ROOM), end = start + readInto(this.#watch, start, ROOM);
      for (let at = start; at + EVENT.name <= end;) {
        const length = memory.view.getUint32(at + EVENT.length, true), name = at + EVENT.name;
        this.#names.add(new TextDecoder().decode(memory.bytes.slice(name, name + length)).replace(/\0+$/, ""));
        at = name + length;
      }
      return end > start;
    });
  }
}
