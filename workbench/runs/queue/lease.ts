import { RUN_LIFE } from "./connect.ts";
import type { RunRecord } from "./messages.ts";

/**
 * The time for which workers may begin tasks of a signed run after a sign of life of the machine that began or joined
 * the run, in milliseconds.
 */
export const LEASE = 120_000;
/** Milliseconds between two of these signs. */
export const RENEWAL = 30_000;

/**
 * Returns the record with a lease from now on, or with the longest lease, for a run that is left. A lease is never
 * shortened.
 */
export function leased(record: RunRecord, isLeft: boolean, now: number): RunRecord {
  const last = record.created + RUN_LIFE, next = isLeft ? last : Math.min(now + LEASE, last);
  return { ...record, until: Math.max(record.until ?? 0, next) };
}

/** Whether workers may begin tasks of a signed run. A signed run that is queued again by others has an old lease. */
export function isLeased({ until = 0 }: RunRecord, now: number): boolean {
  return now <= until;
}
