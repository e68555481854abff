import { createEvent, signalEvent } from "../../../ffi/file/file_descriptor.ts";
import { NativeFence } from "../../fence/native_fence.ts";
import type { Segment } from "./segments.ts";

/** The connection's functions that a fence needs. */
export interface Drain {
  /** Handles the events that have arrived; never waits. */
  drain(): void;
  /** Waits until something may have come, at most so many milliseconds. */
  waitForInput(milliseconds: number): void;
}

/** Milliseconds that a request for a file descriptor waits for the server, which answers in less than one. */
const PATIENCE = 1000;

/** A fence that is signalled once the server has read all that it was asked to read of a segment so far. */
export function readFence(segment: Segment, connection: Drain): NativeFence {
  const target = segment.asked;
  const poll = () => {
    if (segment.read < target) connection.drain();
    return segment.read >= target;
  };
  if (poll()) return NativeFence.signaled();
  const wait = (nanoseconds: bigint) => waitUntil(poll, connection, Number(nanoseconds) / 1e6);
  return NativeFence.of({ poll, wait, toDescriptor: () => descriptorAfter(() => wait(BigInt(PATIENCE) * 1_000_000n)) });
}

/**
 * Handles events until a condition is true. Returns whether the condition became true within a number of milliseconds.
 */
export function waitUntil(
  isDone: () => boolean,
  connection: Pick<Drain, "waitForInput">,
  milliseconds: number,
): boolean {
  const end = performance.now() + milliseconds;
  while (!isDone()) {
    const left = end - performance.now();
    if (left <= 0) return false;
    connection.waitForInput(Math.ceil(Math.min(left, PATIENCE)));
  }
  return true;
}

/** Only JavaScript hears of the server's answer: nobody may be left to wait for it natively. */
function descriptorAfter(wait: () => boolean): number {
  wait();
  const fd = createEvent();
  if (fd >= 0) signalEvent(fd);
  return fd;
}
