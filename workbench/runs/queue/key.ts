import { reasonOf } from "../../process/exit_code.ts";
import type { TaskChecker, TaskSigner } from "./seal.ts";
import { QueueTrouble } from "./trouble.ts";

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
