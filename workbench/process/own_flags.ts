import { isFile } from "../../ffi/library/library.ts";
import { readFileStart } from "../../ffi/file/file_descriptor.ts";

/**
 * Flags that decide the meaning of imports and the way in which code runs. The flags of the second list may have a
 * value in the next word.
 */
const KEPT =
  /^--(import-map|config|no-config|no-remote|no-npm|cached-only|no-lock|lock|frozen|node-modules-dir|vendor|cert|unstable|v8-flags)\b/;
const WITH_VALUE = ["--import-map", "--config", "-c", "--cert"];
const CONFIG = /^(-c|--(no-)?config)\b/;
/** The permissions that a process can have as a whole. */
const PERMISSIONS = ["read", "write", "net", "env", "run", "sys", "ffi", "import"] as const;

/**
 * The flags for a process that runs a file as this process would: the flags of this command line that decide the
 * meaning of imports, otherwise the configuration nearest to the file; and the permissions that this process has as a
 * whole. The configuration of an installed command line is the program's own, and says nothing of the file's imports.
 */
export function ownFlags(file: string): string[] {
  const byFile = isInstalled() ? flagsByConfigOf(file) : undefined;
  if (byFile) return ["--no-prompt", ...byFile];
  const flags = importFlags(commandLine());
  const isTold = flags.some((flag) => CONFIG.test(flag)),
    config = isTold ? undefined : configOf(file);
  return ["--no-prompt", ...config ? [`--config=${config}`] : [], ...flags, ...permissions()];
}

/**
 * The flags for a process that runs a program with the configuration nearest to a file, instead of the configuration of
 * this process. Returns `undefined` if this process has no configuration, if both are the same, or if the file has
 * none.
 */
export function flagsByConfigOf(file: string): string[] | undefined {
  const flags = importFlags(commandLine()), at = flags.findIndex((flag) => CONFIG.test(flag)), config = configOf(file);
  if (at < 0 || config === undefined) return undefined;
  const [, inline] = flags[at].split("="), words = inline === undefined && WITH_VALUE.includes(flags[at]) ? 2 : 1;
  const told = inline ?? (words === 2 ? flags[at + 1] : undefined);
  if (told !== undefined && new URL(told, `file://${Deno.cwd()}/`).pathname === new URL(config, "file:///").pathname) {
    return undefined;
  }
  return [`--config=${config}`, ...flags.toSpliced(at, words), ...permissions()];
}

/** Whether the program of this process comes from a registry, as that of an installed command line does. */
function isInstalled(): boolean {
  return Deno.permissions.querySync({ name: "read" }).state === "granted" &&
    /^(?:https?|jsr|npm):/.test(Deno.mainModule);
}

/** The configuration of a file. Deno searches from the program's file on, which may be in another folder. */
function configOf(file: string): string | undefined {
  if (!file.startsWith("file:")) return undefined;
  for (let folder = new URL(".", file);; folder = new URL("..", folder)) {
    for (const name of ["deno.json", "deno.jsonc"]) {
      const path = decodeURIComponent(new URL(name, folder).pathname);
      if (isFile(path)) return path;
    }
    if (folder.pathname === "/") return undefined;
  }
}

/** The flags of a command line that decide the meaning of imports. */
export function importFlags(words: readonly string[]): string[] {
  return words.flatMap((word, index) => {
    if (WITH_VALUE.includes(word)) return [word, words[index + 1]];
    return KEPT.test(word) ? [word] : [];
  });
}

function permissions(): string[] {
  return PERMISSIONS.filter((name) => Deno.permissions.querySync({ name }).state === "granted")
    .map((name) => `--allow-${name}`);
}

/**
 * The words of this process's command line, without those of its program. Deno requires all permissions for them, but
 * native code can read the file.
 */
function commandLine(): string[] {
  if (Deno.permissions.querySync({ name: "ffi" }).state !== "granted") return [];
  return wordsOfDeno(readFileStart("/proc/self/cmdline").split("\0"), Deno.mainModule);
}

/** The words before the program and before `--`; what follows are the program's, which may have a `-c` of their own. */
export function wordsOfDeno(words: readonly string[], program: string): string[] {
  const here = new URL(`file://${Deno.cwd()}/`);
  const end = words.findIndex((word) => word === "--" || word === program || URL.parse(word, here)?.href === program);
  return end < 0 ? [...words] : words.slice(0, end);
}
