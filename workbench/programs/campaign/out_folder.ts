import { WrongUse } from "../../process/exit_code.ts";
import { atPath } from "../../process/files.ts";

/**
 * Makes the folder for what is found, and keeps other runs out of the folder
 * until it is disposed of: two runs with the same seeds would write the same files.
 *
 * @throws {WrongUse} if there can be no such folder, or another run writes there.
 */
export function outFolder(path: string): Disposable {
  if (path === "") throw new WrongUse("fuzz: --out= names no folder");
  const lock = opened(path);
  // Deno has had tryLockSync() since some versions after the oldest that is supported.
  if (!("tryLockSync" in lock) || lock.tryLockSync(true)) return lock;
  lock.close();
  throw new WrongUse(`fuzz: another run writes into --out=${path}; give each run a folder of its own`);
}

function opened(path: string): Deno.FsFile {
  return atPath("fuzz: --out", path, () => {
    Deno.mkdirSync(path, { recursive: true });
    return Deno.openSync(path);
  });
}
