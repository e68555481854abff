/** Signs what workers execute, and checks signatures. */
export interface TaskSeal {
  /** The signature of a message on a subject. */
  sign(subject: string, message: Uint8Array): Promise<string>;
  /** Whether a signature is of this message on this subject. */
  isGood(subject: string, message: Uint8Array, signature: string): Promise<boolean>;
}

/** The header with a task's signature. */
export const SIGNATURE = "Pumice-Signature";
