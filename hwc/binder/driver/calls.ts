import { closeDescriptor } from "../../../ffi/file/file_descriptor.ts";
import type { Message } from "../bus.ts";
import { BinderStatusError, STATUS } from "../status.ts";

/** A call to another process that waits for its answer. */
export class OutgoingCall {
  /** The answer. Rejected after the time-out, although the kernel still waits. */
  readonly answer: Promise<Message>;
  readonly #settle: PromiseWithResolvers<Message> = Promise.withResolvers<Message>();
  readonly #timer: ReturnType<typeof setTimeout>;
  #isSettled = false;

  /** `timeout` is in milliseconds. */
  constructor(timeout: number) {
    this.answer = this.#settle.promise;
    const late = () => {
      this.reject(new BinderStatusError(STATUS.FAILED_TRANSACTION, `the object did not answer within ${timeout} ms`));
    };
    this.#timer = setTimeout(late, timeout);
  }

  /** Gives the answer. Returns whether anybody waits for it. */
  resolve(answer: Message): boolean {
    if (!this.#wasOpen()) return false;
    this.#settle.resolve(answer);
    return true;
  }

  /** Ends the wait with an error. */
  reject(error: BinderStatusError): void {
    if (this.#wasOpen()) this.#settle.reject(error);
  }

  #wasOpen(): boolean {
    clearTimeout(this.#timer);
    const wasOpen = !this.#isSettled;
    this.#isSettled = true;
    return wasOpen;
  }
}

/** A call of another process, on the thread that must reply. */
export class IncomingCall {
  /** Sends the reply, once there is one: the kernel wants it after those of all calls that the thread made meanwhile. */
  send: (() => void) | undefined;
  /** The reply that waits for that. */
  reply: Message | undefined;

  /** `thread` is the one that the kernel gave the call to. */
  constructor(readonly thread: unknown) {}
}

/** Closes the file descriptors of a reply. */
export function closeReply({ items }: Message): void {
  for (const item of items) {
    if (item.kind === "fd") closeDescriptor(item.fd);
    else if (item.kind === "fdArray") item.fds.forEach(closeDescriptor);
  }
}
