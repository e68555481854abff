import { reasonOf } from "../../process/exit_code.ts";
import { RUN_LIFE } from "./connect.ts";
import { encode, type RunRecord } from "./messages.ts";
import { QueueTrouble } from "./trouble.ts";

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

const ALGORITHM = "Ed25519";
const PEM = /-----BEGIN ([A-Z ]*)-----([\w+/=\s]*)-----END \1-----/;
const MAKE = "make a pair with `openssl genpkey -algorithm ed25519 -out run.key` and " +
  "`openssl pkey -in run.key -pubout -out worker.pub`";

/** Reads the private key of `--key`, with which a run signs its tasks. Throws {@linkcode QueueTrouble} for another file. */
export async function readSigningKey(path: string): Promise<TaskSigner> {
  const { label, bytes } = pemOf(path);
  if (label === "PUBLIC KEY") {
    throw new QueueTrouble(2, `--key: "${path}" has a public key, and a run signs with the private one; ${MAKE}`);
  }
  const key = await imported(path, "pkcs8", bytes, ["sign"]), id = await idOf(key);
  const open = await crypto.subtle.importKey("jwk", { kty: "OKP", crv: ALGORITHM, x: id }, ALGORITHM, true, ["verify"]);
  return {
    ...checkerOf(open, id),
    async sign(subject, message) {
      return new Uint8Array(await crypto.subtle.sign(ALGORITHM, key, bound(subject, message))).toBase64();
    },
  };
}

/** Reads the public key of `--key`, by which a worker checks tasks. Throws {@linkcode QueueTrouble} for another file. */
export async function readCheckingKey(path: string): Promise<TaskChecker> {
  const { label, bytes } = pemOf(path);
  if (label === "PRIVATE KEY") {
    const why = "with which whoever reads it can sign tasks";
    throw new QueueTrouble(2, `--key: "${path}" has the private key, ${why}: give workers the public one; ${MAKE}`);
  }
  const key = await imported(path, "spki", bytes, ["verify"]);
  return checkerOf(key, await idOf(key));
}

function checkerOf(key: CryptoKey, id: string): TaskChecker {
  return {
    id,
    async isGood(subject, message, signature) {
      const signed = bytesOf(signature);
      return signed !== undefined && await crypto.subtle.verify(ALGORITHM, key, signed, bound(subject, message));
    },
  };
}

/** Returns the signed bytes: a message with its subject, so that a signature fits no other run, round or task. */
function bound(subject: string, message: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`${subject}\0`), whole = new Uint8Array(head.length + message.length);
  whole.set(head);
  whole.set(message, head.length);
  return whole;
}

function pemOf(path: string): { readonly label: string; readonly bytes: Uint8Array<ArrayBuffer> } {
  let text: string;
  try {
    text = Deno.readTextFileSync(path);
  } catch (error) {
    throw new QueueTrouble(2, `--key: "${path}" ${reasonOf(error)}`, { cause: error });
  }
  const [, label, body] = PEM.exec(text) ?? [], bytes = body === undefined ? undefined : bytesOf(body);
  if (bytes) return { label, bytes };
  throw new QueueTrouble(2, `--key: "${path}" has no key in PEM; ${MAKE}`);
}

async function imported(
  path: string,
  format: "pkcs8" | "spki",
  bytes: Uint8Array<ArrayBuffer>,
  usages: KeyUsage[],
): Promise<CryptoKey> {
  try {
    return await crypto.subtle.importKey(format, bytes, ALGORITHM, true, usages);
  } catch (error) {
    throw new QueueTrouble(2, `--key: "${path}" has no key of Ed25519; ${MAKE}`, { cause: error });
  }
}

async function idOf(key: CryptoKey): Promise<string> {
  return (await crypto.subtle.exportKey("jwk", key)).x!;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.fromBase64(base64);
  } catch {
    return undefined;
  }
}

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
