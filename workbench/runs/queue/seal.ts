import { encode, type RunRecord } from "./messages.ts";

/** Signs what workers execute. */
export interface TaskSigner extends TaskChecker {
  /** The signature of a message on a subject. */
  sign(subject: string, message: Uint8Array): Promise<string>;
}

/** Checks the signatures of what workers execute. */
export interface TaskChecker {
  /** Names the pair of keys: the public key. */
  readonly id: string;
  /** Whether a signature is of this message on this subject. */
  isGood(subject: string, message: Uint8Array, signature: string): Promise<boolean>;
}

/** The header with a task's signature. */
export const SIGNATURE = "Pumice-Signature";

/** The subject for the signature of a run's record. */
export function recordSubject(run: string): string {
  return `pumice.run.${run}`;
}

/** Returns the signed part of a run's record: all that decides what workers do. */
export function recordBytes(record: RunRecord): Uint8Array {
  const { protocol, version, kind, groups, common, retries, patience, created, until } = record;
  return encode([protocol, version, kind, groups, common, retries, patience, created, until]);
}
