import { NativeBlock } from "../../ffi/block.ts";
import { cstring, NameBlob } from "../../ffi/cstring.ts";
import { rethrowFault } from "../../ffi/error.ts";
import { Library, RTLD_NOW } from "../../ffi/library/library.ts";
import { bindByAddress } from "../../ffi/stubs.ts";
import { DriverError } from "../../loader/error.ts";
import type { RawCommand } from "../api/state.ts";
import { signatureOf } from "../command/spec.ts";
import { callerOf } from "../dispatch/caller.ts";
import { callAt } from "./code.ts";
import { commandNamed, walkedNames } from "./commands.ts";
import type { Level } from "./bottom.ts";

/** The required exports of a layer's library. */
const INITIALIZE = "AndroidGLESLayer_Initialize", GET_PROC_ADDRESS = "AndroidGLESLayer_GetProcAddress";

let names: NameBlob | undefined;

/** The walked names in native memory, placed once. */
function placedNames(): NameBlob {
  return names ??= new NameBlob(walkedNames());
}

/** A native layer in one chain. */
export class NativeGlesLayer {
  /** The library. */
  readonly path: string;
  /** The id that the layer passes back to find the next layer. */
  readonly id: bigint;
  readonly #library: Library;
  readonly #initialize: bigint;
  readonly #getProcAddress: bigint;
  readonly #memory = new NativeBlock(16);
  readonly #levels = new Map<string, Level>();
  readonly #below: (name: string) => Level;

  /**
   * Opens the library and calls nothing yet. `below` is the level below the layer.
   *
   * @throws {DriverError} when it is no layer; nothing stays open then.
   */
  constructor(path: string, below: (name: string) => Level) {
    this.path = path;
    this.id = this.#memory.address;
    this.#below = below;
    try {
      this.#library = openLayer(path);
    } catch (error) {
      this.#memory.close();
      throw error;
    }
    this.#initialize = this.#library.find(INITIALIZE);
    this.#getProcAddress = this.#library.find(GET_PROC_ADDRESS);
  }

  /** The commands that the layer hooks. */
  get names(): Iterable<string> {
    return this.#levels.keys();
  }

  /** A command at the layer's level. */
  at(name: string): Level {
    return this.#levels.get(name) ?? this.#below(name);
  }

  /** The function below the layer by name: the result of getNextLayerProcAddress. */
  next(name: string, nameAddress: bigint): bigint {
    if (commandNamed(name)) return this.#below(name).address;
    return this.#below("eglGetProcAddress").call(false)(nameAddress) as bigint;
  }

  /**
   * Initializes the layer and asks it about every command. `getNext` is the function by which the layer finds the
   * functions below.
   */
  initialize(getNext: bigint): void {
    bindByAddress("q:qq")(this.id, getNext, this.#initialize);
    const ask = bindByAddress("q:qq");
    let at = placedNames().address;
    for (const name of walkedNames()) {
      this.#take(name, this.#below(name), (next) => ask(at, next, this.#getProcAddress) as bigint);
      at += BigInt(name.length + 1);
    }
    rethrowFault();
  }

  /** Asks the layer about a function that is not among the walked names, which may be no command of the registry. */
  ask(name: string, next: bigint): bigint {
    using block = new NativeBlock(name.length + 1);
    block.bytes.set(cstring(name));
    return bindByAddress("q:qq")(block.address, next, this.#getProcAddress) as bigint || next;
  }

  /** Asks the layer about a command that is not among the walked names. */
  include(name: string): void {
    if (!this.#levels.has(name)) this.#take(name, this.#below(name), (next) => this.ask(name, next));
  }

  /** Closes the library. Its functions must not be called any more. */
  close(): void {
    this.#levels.clear();
    this.#library.close();
    this.#memory.close();
  }

  #take(name: string, below: Level, ask: (next: bigint) => bigint): void {
    const next = below.address, address = ask(next);
    if (address === next || address === 0n || !commandNamed(name)) return;
    this.#levels.set(name, {
      kind: "native",
      address,
      elsewhere: address,
      call: (isHot) => caller(name, address, isHot),
    });
  }
}

/** Calls a layer's function. An error that a hook below the layer threw is the caller's error. */
function caller(name: string, address: bigint, isHot: boolean): RawCommand {
  const command = commandNamed(name)!;
  const call = callAt(command, callerOf(signatureOf(command)), { addresses: [address] }, 0, isHot);
  return (...args) => {
    const result = call(...args);
    rethrowFault();
    return result;
  };
}

function openLayer(path: string): Library {
  let library: Library;
  try {
    library = Library.open(path, RTLD_NOW);
  } catch (error) {
    throw new DriverError("unusable", path, `Cannot use "${path}" as a GLES layer: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const missing = [INITIALIZE, GET_PROC_ADDRESS].filter((name) => library.find(name) === 0n);
  if (missing.length === 0) return library;
  library.close();
  const message = `it does not export ${missing.join(" and ")}; name a library that was built as a GLES layer`;
  throw new DriverError("unusable", path, `Cannot use "${path}" as a GLES layer: ${message}`);
}
