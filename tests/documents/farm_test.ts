import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { parseRequest } from "../../cli/arguments/parse.ts";
import { COMMANDS } from "../../cli/commands.ts";
import { SHUTDOWN } from "../../workbench/runs/queue/graceful_shutdown.ts";
import { canBundle } from "../../tools/build/bundle.ts";
import { lavapipePath, natsServerPath, opensslPath, swiftshaderPath } from "../../tools/setup/parts.ts";
import { needs } from "../support/require.ts";
import { randomRecording } from "../support/random_recording.ts";
import { words } from "../support/shell_lines.ts";
import { withFolderAsync } from "../support/temporary.ts";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);
const PAGE = Deno.readTextFileSync(`${ROOT}docs/farm.md`);
const PARTS = {
  "NATS server": natsServerPath(),
  "Mesa lavapipe": lavapipePath(),
  SwiftShader: swiftshaderPath(),
  OpenSSL: opensslPath(),
};
const NEEDS = {
  ignore: Object.entries(PARTS).some(([part, path]) => needs(part, path).ignore) || !await canBundle(),
};
/** A file with a test that passes and one that fails. */
const TESTS = `import { gpuTest } from "${ROOT}workbench/runs/testing/mod.ts";
gpuTest("passes", ({ buffer }) => void buffer(16));
gpuTest("fails", () => {
  throw new Error("as it should");
});
`;
/** Milliseconds for a line that ends. */
const PATIENCE = 180_000;

/** The parts of the page with commands: the lines of its blocks for a shell, and other blocks by their first word. */
function sections(): {
  readonly title: string;
  readonly lines: readonly string[];
  readonly files: readonly string[];
}[] {
  return PAGE.split(/^## /m).slice(1).map((text) => ({
    title: text.slice(0, text.indexOf("\n")),
    lines: [...text.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block]) => block.trimEnd().split("\n")),
    files: [...text.matchAll(/^```text\n(.*?)^```$/gms)].map(([, block]) => block),
  })).filter(({ lines, files }) => lines.length + files.length > 0);
}

/** A folder as the reader of the page has it, and programs by the names that the page uses. */
class Bench implements AsyncDisposable {
  readonly #folder: string;
  readonly #started: Deno.ChildProcess[] = [];
  #port = 0;
  #joined = "";

  constructor(folder: string) {
    this.#folder = folder;
    Deno.mkdirSync(`${folder}/tests`);
    Deno.writeTextFileSync(`${folder}/tests/two_test.ts`, TESTS);
    const map = `--import-map=${ROOT}tools/offline_import_map.json`;
    this.#program("bin/pumice", `exec "${Deno.execPath()}" run -A --no-prompt --quiet "${map}" "${ROOT}cli.ts" "$@"`);
    this.#program(
      "bin/nats-server",
      `exec ${natsServerPath()} "$@" -a 127.0.0.1 -p -1 --ports_file_dir . -l server.log`,
    );
    Deno.copyFileSync(`${ROOT}tests/fixtures/fake_deqp.sh`, `${folder}/deqp-vk`);
    Deno.chmodSync(`${folder}/deqp-vk`, 0o755);
    if (swiftshaderPath()) Deno.symlinkSync(swiftshaderPath()!, `${folder}/libvk_swiftshader.so`);
    Deno.writeTextFileSync(`${folder}/cases.txt`, "dEQP-VK.a.pass1\ndEQP-VK.a.pass2\n");
  }

  /** Types a line of the page. A server and workers go on; other programs end. */
  async type(line: string): Promise<void> {
    const here = this.#here(line);
    if (/^(nats-server|pumice worker) /.test(here)) return await this.#start(here);
    const { code, output } = await this.#ran(here);
    const [, name] = /--join=(\w+)/.exec(output) ?? [];
    this.#joined = name ?? this.#joined;
    if (/^pumice fuzz/.test(here)) return assertMatch(output, /^3 programs, (no|\d+) new/m, line);
    const isTested = /^pumice test/.test(here) && !here.includes("--leave"); // one of the two tests fails
    assertEquals(code, isTested || /^pumice check/.test(here) ? 1 : 0, `${line}\n${output}`);
    if (isTested) assertMatch(output, /2 results: 1 passed, 1 failed\nThe run failed/, line);
  }

  /** Types a line that fails. Returns what the line printed. */
  async refused(line: string): Promise<string> {
    const { code, output } = await this.#ran(this.#here(line));
    assert(code !== 0, output);
    return output;
  }

  /** Writes a file of the page. */
  write(name: string, text: string): void {
    Deno.writeTextFileSync(`${this.#folder}/${name}`, text.replaceAll("port: 4222", "").replaceAll("20GB", "1GB"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const each of this.#started.toReversed()) {
      each.kill("SIGTERM");
      const { code } = await each.status;
      assert(code <= 1, `ended with ${code}`);
    }
  }

  #here(line: string): string {
    return line.replaceAll("queue.lab", "localhost").replaceAll(":4222", `:${this.#port}`)
      .replace("--join=RUN", `--join=${this.#joined}`).replace("--programs=2000", "--programs=3 --reduce-seconds=1");
  }

  async #start(line: string): Promise<void> {
    const process = this.#shell(`exec ${line}`).spawn(), isServer = line.startsWith("nats-server");
    this.#started.push(process);
    const [, port] = await this.#until(
      line,
      isServer ? `nats-server_${process.pid}.ports` : `log_${line.length}`,
      isServer ? /:(\d+)"/ : /^worker .*\n/m,
    );
    if (isServer) this.#port = Number(port);
  }

  async #until(line: string, file: string, pattern: RegExp): Promise<RegExpExecArray> {
    for (const end = performance.now() + 60_000; performance.now() < end;) {
      const found = pattern.exec(await Deno.readTextFile(`${this.#folder}/${file}`).catch(() => ""));
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`${line} did not begin`);
  }

  async #ran(line: string): Promise<{ readonly code: number; readonly output: string }> {
    const signal = AbortSignal.timeout(PATIENCE), { code } = await this.#shell(line, signal).output();
    return { code, output: Deno.readTextFileSync(`${this.#folder}/log_${line.length}`) };
  }

  #shell(line: string, signal?: AbortSignal): Deno.Command {
    const log = `log_${line.replace(/^exec /, "").length}`;
    return new Deno.Command("bash", {
      args: ["-c", `exec >${log} 2>&1; ${line}`],
      cwd: this.#folder,
      env: { PATH: `${this.#folder}/bin:${Deno.env.get("PATH")}`, NO_COLOR: "1", GITHUB_ACTIONS: "" },
      stdin: "null",
      stdout: "null",
      stderr: "null",
      signal,
    });
  }

  #program(name: string, line: string): void {
    Deno.mkdirSync(`${this.#folder}/bin`, { recursive: true });
    Deno.writeTextFileSync(`${this.#folder}/${name}`, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  }
}

const KEYS = sections().find(({ title }) => title === "Keys")!.lines.filter((line) => line.startsWith("openssl"));

for (const { title, lines, files } of sections().filter((each) => each.lines.length > 0)) {
  Deno.test(
    `docs/farm.md: the commands of "${title}" do what the page says, with a real server`,
    NEEDS,
    () =>
      withFolderAsync(async (folder) => {
        await using bench = new Bench(folder);
        for (const text of files) bench.write("queue.conf", text);
        if (lines.some((line) => line.includes("--key=")) && title !== "Keys") {
          for (const line of KEYS) await bench.type(line);
        }
        if (title === "Campaigns") {
          for (const name of ["a", "b"]) await randomRecording(`${folder}/${name}.jsonl`, "fill");
        }
        for (const line of lines) {
          await bench.type(line);
        }
        if (title === "TLS and accounts") {
          const said = await bench.refused(lines.at(-1)!.replace("runs:first", "worker:second"));
          assertMatch(said, /^test: The queue's server does not allow /m);
          const stranger = await bench.refused(lines.at(-1)!.replace("runs:first@", ""));
          assertMatch(stranger, /^test: The server at .* refuses the user/m);
        }
        if (title === "Campaigns") {
          assertStringIncludes(
            Deno.readTextFileSync(`${folder}/matrix/index.html`),
            "2 comparisons without a difference",
          );
        }
        if (title === "One machine") {
          assertStringIncludes(Deno.readTextFileSync(`${folder}/results.csv`), "dEQP-VK.a.pass2,Pass");
        }
      }),
  );
}

Deno.test("docs/farm.md: the unit of a board starts a worker with options that there are", NEEDS, () => {
  const unit = sections().find(({ title }) => title === "A lab with boards")!.files[0];
  const [, line] = /^ExecStart=\/usr\/local\/bin\/pumice worker (.*)$/m.exec(unit)!;
  assert(parseRequest("worker", COMMANDS.get("worker")!, words(line)) !== "help");
});

Deno.test("docs/farm.md: the time for a server that does not answer is the one in the code", () => {
  const told = [...PAGE.matchAll(/(\w+) seconds(?= for it after|, the run says)/g)].map(([, number]) => number);
  assertEquals([told, SHUTDOWN], [["five", "five"], 5000]);
});

Deno.test(
  "docs/farm.md: the configuration of three servers is one that a server takes",
  NEEDS,
  () =>
    withFolderAsync(async (folder) => {
      const [text] = sections().find(({ title }) => title === "Three servers")!.files;
      Deno.writeTextFileSync(`${folder}/queue.conf`, text);
      const { code, stderr } = await new Deno.Command(natsServerPath()!, { args: ["-c", `${folder}/queue.conf`, "-t"] })
        .output();
      assertEquals(code, 0, new TextDecoder().decode(stderr));
    }),
);
