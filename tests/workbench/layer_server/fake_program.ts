import { INVOKE } from "../../../ffi/emit/layout.ts";
import { HELLO, SLOT, STATE } from "../../../workbench/layer_server/layout.ts";
import { LINK } from "../../../workbench/layer_server/library/parts.ts";
import { GREETING, GREETING_MAGIC, KIND, ORDER, WELCOME } from "../../../workbench/layer_server/messages.ts";
import type { LayerServer } from "../../../workbench/layers.ts";

/** The port of a server that listens at TCP. */
export function portOf({ address }: Pick<LayerServer, "address">): number {
  return Number(address!.split(":")[2]);
}

/** The program's key, as it lies in the layer library of a server. */
export function keyIn({ folder }: LayerServer): Uint8Array {
  return keyInFile(`${folder}/libVkLayer_pumice.so`);
}

/** The program's key, as it lies in a layer library. */
export function keyInFile(path: string): Uint8Array {
  const library = Deno.readFileSync(path);
  const magic = new Uint8Array(new BigUint64Array([GREETING_MAGIC]).buffer);
  const at = library.findIndex((_, index) => magic.every((byte, place) => library[index + place] === byte));
  return library.slice(at + GREETING.key, at + GREETING.program);
}

/** The first message of a program with a key. */
export function greetingWith(key: Uint8Array): Uint8Array<ArrayBuffer> {
  const greeting = new Uint8Array(GREETING.size);
  new DataView(greeting.buffer).setBigUint64(GREETING.magic, GREETING_MAGIC, true);
  greeting.set(key, GREETING.key);
  return greeting;
}

/** So many random bytes. */
export function random(size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += 65536) crypto.getRandomValues(bytes.subarray(at, at + 65536));
  return bytes;
}

/** A program that is not there: speaks as a layer library does, and notes the kinds of the server's orders. */
export class FakeProgram implements Disposable {
  /** The kinds of all orders so far. */
  readonly orders: string[] = [];
  readonly #connection: Deno.TcpConn;

  private constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
  }

  /** Connects to a server in another isolate: a server blocks its own while it waits for an answer. */
  static async connect({ port, key }: { port: number; key: Uint8Array }): Promise<FakeProgram> {
    const program = new FakeProgram(await Deno.connect({ hostname: "127.0.0.1", port }));
    await program.#connection.write(greetingWith(key));
    await program.#read(WELCOME.size);
    await program.call({ command: HELLO, args: [0x1_0000n] });
    return program;
  }

  /** Calls a command, obeys orders until the call is over, and returns the result; `undefined` if nobody answered. */
  async call({ command, args }: { command: number; args: readonly bigint[] }): Promise<bigint | undefined> {
    const slot = new Uint8Array(SLOT.size), view = new DataView(slot.buffer);
    view.setUint32(SLOT.state, STATE.called, true);
    view.setUint32(SLOT.command, command, true);
    view.setBigUint64(SLOT.record, 1n, true);
    view.setBigUint64(SLOT.next, 0x1234n, true);
    args.forEach((value, index) => view.setBigUint64(SLOT.invoke + INVOKE.integers + 8 * index, value, true));
    await this.#connection.write(slot);
    for (;;) {
      const order = new DataView((await this.#read(ORDER.end)).buffer);
      const [kind, first, size] = [0, 8, 16].map((at) => order.getBigUint64(at, true));
      this.orders.push(Object.entries(KIND).find(([, value]) => value === kind)![0]);
      if (kind === KIND.over) return first;
      if (kind === KIND.pass) return undefined;
      if (kind === KIND.request) await this.#obey(slot, Number(size));
      if (kind === KIND.write) await this.#read(Number(size));
      if (kind === KIND.read) await this.#connection.write(memory(Number(size)));
      if (kind === KIND.read || kind === KIND.write) {
        await this.#connection.write(new Uint8Array(new BigUint64Array([size]).buffer));
      }
    }
  }

  /** Answers that the requested function returned 7. */
  async #obey(slot: Uint8Array<ArrayBuffer>, size: number): Promise<void> {
    const scratch = await this.#read(size), view = new DataView(slot.buffer);
    slot.set(await this.#read(INVOKE.size), SLOT.invoke);
    view.setUint32(SLOT.state, STATE.done, true);
    view.setBigUint64(SLOT.invoke + INVOKE.result, 7n, true);
    await this.#connection.write(slot);
    await this.#connection.write(scratch);
  }

  async #read(size: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(size);
    for (let filled = 0; filled < size;) filled += (await this.#connection.read(bytes.subarray(filled)))!;
    return bytes;
  }

  /** Hangs up. */
  [Symbol.dispose](): void {
    this.#connection.close();
  }
}

/** Memory that a library that is about to be connected has. */
function memory(size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(LINK.connecting), true);
  return bytes;
}
