import {
  readCheckingKey,
  readSigningKey,
  type TaskChecker,
  type TaskSigner,
} from "../../../../workbench/runs/queue/signing.ts";
import { run as runCommand } from "../../../support/subprocess.ts";
import { withFolderAsync } from "../../../support/temporary.ts";

/** Both keys of a pair. */
export interface Keys {
  readonly signer: TaskSigner;
  readonly checker: TaskChecker;
}

/** Makes a pair of keys in a folder as docs/farm.md does. Returns the files. */
export function pair(folder: string, name: string): { readonly key: string; readonly pub: string } {
  const key = `${folder}/${name}.key`, pub = `${folder}/${name}.pub`;
  runCommand("openssl", ["genpkey", "-algorithm", "ed25519", "-out", key]);
  runCommand("openssl", ["pkey", "-in", key, "-pubout", "-out", pub]);
  return { key, pub };
}

/** Makes a pair of keys in a folder. */
export async function keysIn(folder: string, name: string): Promise<Keys> {
  const { key, pub } = pair(folder, name);
  return { signer: await readSigningKey(key), checker: await readCheckingKey(pub) };
}

/** Calls `use` with a pair of keys and a temporary folder. */
export function withKeys(use: (keys: Keys, folder: string) => Promise<void>): Promise<void> {
  return withFolderAsync(async (folder) => use(await keysIn(folder, "run"), folder));
}
