import { storeFault } from "../../ffi/error.ts";
import { coreImage } from "../../ffi/image/core.ts";
import type { CallRing, RingRecord } from "../../ffi/thunk/ring.ts";
import { createThunk, type EmittedThunk } from "../../ffi/thunk/thunk.ts";
import { VK_FALSE, VK_TRUE } from "../gen/native_gen.ts";

/** `VkBool32 (messageSeverity, messageTypes, pCallbackData, pUserData)` */
const SIGNATURE = "w:wwqq";

/** The arguments of the callback. */
export type MessageArgs = readonly [severity: number, types: number, data: bigint, userData: bigint];

/** Receives the messages of this thread. */
export type Receiver = (...args: MessageArgs) => boolean;

/** A callback in use. It serves one messenger at a time. */
interface Callback {
  readonly thunk: EmittedThunk;
  /** The user data by which native code means the present messenger. */
  token: bigint;
  receive: Receiver | undefined;
}

/**
 * Unused callbacks. Native code that knows an address may call it for as long
 * as its instance lives. The callbacks therefore cannot be freed, but can serve
 * again: messages for an earlier messenger carry another token.
 */
const idle: Callback[] = [];
let tokens = 0n;

/** A messenger's callback. Calls on this thread reach the receiver at once; calls on other threads go to the ring. */
export class MessengerThunk {
  /** The callback's address. */
  readonly address: bigint;
  /** The value to pass as pUserData. */
  readonly token: bigint;
  readonly #callback: Callback;

  /** Takes an unused callback, or makes one. */
  constructor(receive: Receiver, ring: CallRing) {
    const token = this.token = ++tokens, callback = idle.pop();
    this.#callback = callback ? Object.assign(callback, { token, receive }) : newCallback(token, receive, ring);
    callback?.thunk.recordIn(ring);
    this.address = this.#callback.thunk.address;
  }

  /** Returns the arguments of a call in the ring; `undefined` if the call was for another messenger. */
  argsOf({ args }: RingRecord): MessageArgs | undefined {
    const [, , data, userData] = args;
    return userData === this.token && data !== 0n ? args as unknown as MessageArgs : undefined;
  }

  /** Makes the callback do nothing from now on. */
  close(): void {
    this.#callback.receive = undefined;
    this.#callback.thunk.recordIn(undefined);
    idle.push(this.#callback);
  }
}

function newCallback(token: bigint, receive: Receiver, ring: CallRing): Callback {
  const answer = (...[severity, types, data, userData]: MessageArgs): number => {
    if (userData !== callback.token || data === 0n || !callback.receive) return VK_FALSE;
    try {
      return callback.receive(severity, types, data, userData) ? VK_TRUE : VK_FALSE;
    } catch (error) {
      storeFault(error);
      return VK_TRUE; // the caller gives up the call instead of carrying out the call that the handler rejected
    }
  };
  // A ring exists only where emitted code can be used.
  const thunk = createThunk(SIGNATURE, answer, { onForeignThread: "record", ring }) as EmittedThunk;
  const callback: Callback = { thunk, token, receive };
  return callback;
}

/**
 * Address of a function for {@linkcode CallRingOptions.extra} of a ring whose thunk
 * is a `PFN_vkDebugUtilsMessengerCallbackEXT`. The function copies the message
 * with all its strings and lists, as far as there is room. 0n where emitted
 * code cannot be used.
 */
export function messageCopy(): bigint {
  return coreImage()?.image.address("copyMessage") ?? 0n;
}
