import { arena, inFrame } from "../../../ffi/arena.ts";
import { cstring } from "../../../ffi/cstring.ts";
import { pollDescriptor } from "../../../ffi/file/file_descriptor.ts";
import { libcAddress } from "../../../ffi/libc.ts";
import { invokeAddress, peek16, peek8 } from "../../../ffi/machine.ts";
import { bindByAddress } from "../../../ffi/stubs.ts";
import { WsiError } from "../../error.ts";
import { readSetup, type XScreen } from "./setup.ts";
import { Xcb, type XcbFunction } from "./xcb.ts";

const EVENT_SIZE = 32;
const AF_UNIX = 1;

/** A connection to an X server, through libxcb. */
export class XConnection {
  /** The screen that windows go to. */
  readonly screen: XScreen;
  /** MIT-SHM with file descriptors, if the server is on this machine and has it: the numbers of its requests and of its events. */
  readonly shm: { readonly major: number; readonly firstEvent: number } | undefined;
  /** Bytes of the largest request. */
  readonly largestRequest: number;
  #xcb = new Xcb();
  #address: bigint;
  #display: string;
  #free: bigint;

  /** Connects to a display, by default the one that `DISPLAY` names. Throws a {@linkcode WsiError} `no-display`. */
  constructor(display?: string) {
    this.#display = display ?? "of the environment variable DISPLAY";
    this.#free = libcAddress("free");
    const { address, screen } = connect(this.#xcb, display);
    this.#address = address;
    if (this.isGone) throw this.#refused();
    this.screen = this.#setup(screen);
    this.largestRequest = 4 * (this.call("xcb_get_maximum_request_length") as number);
    this.shm = this.#sharedMemory();
  }

  /** libxcb's `xcb_connection_t *`; 0n when closed. */
  get address(): bigint {
    return this.#address;
  }

  /** Whether the connection was closed. */
  get isClosed(): boolean {
    return this.#address === 0n;
  }

  /** Whether the server has gone, or the connection is closed. */
  get isGone(): boolean {
    return this.#address === 0n || this.call("xcb_connection_has_error") !== 0;
  }

  /** The error for a server that has gone. */
  gone(): WsiError {
    const message = `Cannot show frames: the X server ${this.#display} has gone; open a new window`;
    return new WsiError("server-gone", message);
  }

  /** Calls a function whose first parameter is the connection. */
  call(name: XcbFunction, ...args: (number | bigint)[]): number | bigint {
    return this.#xcb.call(name, this.#address, ...args);
  }

  /** A new id. */
  newId(): number {
    return this.call("xcb_generate_id") as number;
  }

  /** Sends the requests so far. */
  flush(): void {
    this.call("xcb_flush");
  }

  /** A reply's bytes, 32 at least; `undefined` if the server refused. Waits for it. */
  reply(name: XcbFunction, cookie: number | bigint): DataView | undefined {
    const at = this.call(name, cookie, 0) as bigint;
    return at === 0n ? undefined : this.takeReply(at);
  }

  /** The bytes of a reply at an address that libxcb gave, which is freed. */
  takeReply(at: bigint): DataView {
    return this.#take(at, EVENT_SIZE + 4 * lengthOfReply(at));
  }

  /** Waits until all that was asked is done, by a question that costs nothing to answer. */
  sync(): void {
    this.reply("xcb_get_input_focus_reply", this.call("xcb_get_input_focus"));
  }

  /** Whether a checked request was carried out. Waits for that. */
  succeeded(cookie: number | bigint): boolean {
    const error = this.call("xcb_request_check", cookie) as bigint;
    if (error !== 0n) this.#release(error);
    return error === 0n;
  }

  /** The next event or error that has come, 32 bytes; `undefined` if there is none. */
  nextEvent(): DataView | undefined {
    const at = this.call("xcb_poll_for_event") as bigint;
    return at === 0n ? undefined : this.#take(at, EVENT_SIZE);
  }

  /** Waits until something may have come, at most so many milliseconds. */
  waitForInput(milliseconds: number): void {
    pollDescriptor(this.call("xcb_get_file_descriptor") as number, milliseconds);
  }

  /** The number of a name. */
  atom(name: string): number {
    return inFrame(() => {
      const at = this.place(new TextEncoder().encode(name));
      const reply = this.reply("xcb_intern_atom_reply", this.call("xcb_intern_atom", 0, name.length, at));
      return reply?.getUint32(8, true) ?? 0;
    });
  }

  /** Copies bytes into the arena; the caller releases them. */
  place(bytes: Uint8Array): number {
    const memory = arena(), at = memory.alloc(bytes.length);
    memory.bytes.set(bytes, at);
    return at;
  }

  /** Ends the connection, and with it all that it made in the server. A second call does nothing. */
  close(): void {
    if (this.#address === 0n) return;
    this.call("xcb_disconnect");
    this.#address = 0n;
    this.#xcb.close();
  }

  #setup(screen: number): XScreen {
    const at = this.call("xcb_get_setup") as bigint, size = 8 + 4 * peek16(at + 6n);
    return readSetup(copyOf(at, size), screen);
  }

  #sharedMemory(): XConnection["shm"] {
    const id = this.#xcb.shmId;
    if (id === 0n || !this.#isLocal()) return undefined;
    const extension = this.call("xcb_get_extension_data", id) as bigint;
    if (extension === 0n || peek8(extension + 8n) === 0) return undefined;
    const version = this.reply("xcb_shm_query_version_reply", this.call("xcb_shm_query_version"));
    if (!version || version.getUint16(8, true) * 100 + version.getUint16(10, true) < 102) return undefined;
    return { major: peek8(extension + 9n), firstEvent: peek8(extension + 10n) };
  }

  /** File descriptors can only be sent to a server on this machine; trying it elsewhere ends the connection. */
  #isLocal(): boolean {
    return inFrame((memory) => {
      const at = memory.alloc(128), size = memory.alloc(4);
      memory.view.setUint32(size, 128, true);
      // int getsockname(int sockfd, struct sockaddr *addr, socklen_t *addrlen)
      const fd = this.call("xcb_get_file_descriptor") as number;
      const failed = invokeAddress(libcAddress("getsockname"), "s:soo", [fd, at, size]) as number;
      const family = memory.view.getUint16(at, true);
      return failed === 0 && family === AF_UNIX;
    });
  }

  #refused(): WsiError {
    this.close();
    const message = `Cannot connect to the X display ${this.#display}: no server answers there; ` +
      "start one, or give x11Window() another display";
    return new WsiError("no-display", message);
  }

  /** Copies memory that libxcb allocated, and frees it. */
  #take(at: bigint, size: number): DataView {
    const view = copyOf(at, size);
    this.#release(at);
    return view;
  }

  #release(at: bigint): void {
    bindByAddress("v:q")(at, this.#free);
  }
}

function connect(xcb: Xcb, display: string | undefined): { address: bigint; screen: number } {
  return inFrame((memory) => {
    const screen = memory.alloc(4);
    const name = display === undefined ? 0 : memory.alloc(display.length * 3 + 1);
    if (display !== undefined) memory.bytes.set(cstring(display), name);
    memory.view.setInt32(screen, 0, true);
    const address = xcb.call("xcb_connect", name, screen) as bigint;
    const found = memory.view.getInt32(screen, true);
    return { address, screen: found };
  });
}

/** The length field: words behind the first 32 bytes. */
function lengthOfReply(at: bigint): number {
  return peek16(at + 4n) + 65536 * peek16(at + 6n);
}

function copyOf(at: bigint, size: number): DataView {
  if (size > arena().size >> 3) {
    return new DataView(Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(at)!, size).slice());
  }
  return inFrame((memory) => {
    const offset = memory.copyIn(at, size);
    const bytes = memory.bytes.slice(offset, offset + size);
    return new DataView(bytes.buffer);
  });
}
