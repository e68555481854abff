import { storeFault } from "../../ffi/fault.ts";
import type { RecordedCall, Ring } from "../../ffi/thunk/ring.ts";
import { createThunk, type EmittedThunk } from "../../ffi/thunk/thunk.ts";

/** `VkBool32 (messageSeverity, messageTypes, pCallbackData, pUserData)` */
const SIGNATURE = "w:wwqq";
const VK_FALSE = 0, VK_TRUE = 1;

/** The arguments of the callback. */
export type MessageArgs = readonly [severity: number, types: number, data: bigint, userData: bigint];

/** Whoever a message of this thread is for. */
export type Receiver = (...args: MessageArgs) => boolean;

/** A callback that is in use: it serves one messenger at a time. */
interface Station {
  readonly thunk: EmittedThunk;
  /** What native code passes that means the present messenger. */
  token: bigint;
  receive: Receiver | undefined;
}

/**
 * Callbacks that nobody uses now. Whoever was told an address may call it for
 * as long as its instance lives, so they can't be freed, but serve again:
 * messages for the one before carry another token.
 */
const idle: Station[] = [];
let tokens = 0n;

/** A messenger's callback: on this thread it calls its receiver at once, other threads' calls go to its ring. */
export class MessengerThunk {
  /** The callback's address. */
  readonly address: bigint;
  /** What must be passed to it as pUserData. */
  readonly token: bigint;
  readonly #station: Station;

  /** Takes a callback. */
  constructor(receive: Receiver, ring: Ring) {
    const token = this.token = ++tokens, station = idle.pop();
    this.#station = station ? Object.assign(station, { token, receive }) : newStation(token, receive, ring);
    station?.thunk.recordIn(ring);
    this.address = this.#station.thunk.address;
  }

  /** The arguments of a call in the ring; `undefined` if it was not meant for this messenger. */
  argsOf({ args }: RecordedCall): MessageArgs | undefined {
    const [, , data, userData] = args;
    return userData === this.token && data !== 0n ? args as unknown as MessageArgs : undefined;
  }

  /** From now on the callback does nothing. */
  close(): void {
    this.#station.receive = undefined;
    this.#station.thunk.recordIn(undefined);
    idle.push(this.#station);
  }
}

function newStation(token: bigint, receive: Receiver, ring: Ring): Station {
  const answer = (...[severity, types, data, userData]: MessageArgs): number => {
    if (userData !== station.token || data === 0n || !station.receive) return VK_FALSE;
    try {
      return station.receive(severity, types, data, userData) ? VK_TRUE : VK_FALSE;
    } catch (error) {
      storeFault(error);
      return VK_TRUE; // whoever asked gives up the call, instead of carrying out what we threw about
    }
  };
  // Where there is a ring there is emitted code.
  const thunk = createThunk(SIGNATURE, answer, { onForeignThread: "record", ring }) as EmittedThunk;
  const station: Station = { thunk, token, receive };
  return station;
}
