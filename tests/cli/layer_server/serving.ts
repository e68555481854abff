import { driverManifest } from "../../workbench/layer_server/programs.ts";

const ROOT = new URL("../../../", import.meta.url).pathname;

/** A command of the command line that runs until it is told to end. */
export interface Running {
  /** The first line of standard output that a pattern matches. */
  until(pattern: RegExp): Promise<string>;
  /** Ends the command with a signal, and returns how it ended. */
  end(signal?: Deno.Signal): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
}

/** Starts a command in a process of its own. */
export function starting(folder: string, args: readonly string[], more: Record<string, string> = {}): Running {
  const manifest = driverManifest(folder);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-prompt", `--import-map=${ROOT}tools/offline_import_map.json`, `${ROOT}cli.ts`, ...args],
    env: { VK_DRIVER_FILES: manifest, VK_ICD_FILENAMES: manifest, NO_COLOR: "1", ...more },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const texts = { stdout: "", stderr: "" };
  let news = Promise.withResolvers<void>();
  const reading = (["stdout", "stderr"] as const).map(async (name) => {
    for await (const text of child[name].pipeThrough(new TextDecoderStream())) {
      texts[name] += text;
      news.resolve();
      news = Promise.withResolvers<void>();
    }
  });
  let isOver = false;
  const ended = Promise.all(reading).then(() => {
    isOver = true;
    news.resolve();
  });
  return {
    async until(pattern) {
      for (;;) {
        const found = pattern.exec(texts.stdout + texts.stderr), next = news.promise;
        if (found) return found[0];
        if (isOver) throw new Error(`No ${pattern} in: ${texts.stdout}${texts.stderr}`);
        await next;
      }
    },
    async end(signal = "SIGINT") {
      try {
        child.kill(signal);
      } catch {
        // it has ended
      }
      const { code } = await child.status;
      await ended;
      return { code, ...texts };
    },
  };
}
