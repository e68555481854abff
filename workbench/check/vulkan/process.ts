import type { VulkanCheckOptions } from "../mod.ts";
import { ownFlags } from "../../process/own_flags.ts";
import type { Verdict } from "../../../loader/requirements/verdict.ts";
import { DEFAULT_TIMEOUT } from "../../../loader/requirements/conditions.ts";
import { CHECK_VARIABLE, type ChildLine } from "./line.ts";

/** Milliseconds for opening and closing a driver. */
const OPENING = 120_000, CLOSING = 20_000;
/** A number greater than the number of waits in one trial. */
const WAITS = 8;

/** The end of a process: with its result, or during a trial. */
interface Ending {
  readonly last?: ChildLine;
  /** The rule that was tried, or the call that was made, at the end. */
  readonly at?: string;
  /** The last call that returned. */
  readonly after?: string;
  /** The kind of end, as a sentence. */
  readonly how: string;
}

/**
 * Checks a Vulkan driver in a process of its own, which the driver may hang or crash. The trial of that moment has then
 * failed, and another process continues with the remaining trials. `tell` gets each verdict as soon as it is known.
 */
export async function checkApart(
  options: VulkanCheckOptions,
  tell: (verdict: Verdict) => void,
): Promise<ChildLine> {
  const lost: Record<string, string> = {}, told = new Set<string>();
  const once = (verdict: Verdict) => {
    if (!told.has(verdict.rule)) tell(verdict);
    told.add(verdict.rule);
  };
  for (;;) {
    const { last, at, after, how } = await runOnce({ ...options, lost, mayDie: true }, once);
    if (last) return last;
    if (at === undefined || at in lost) {
      const where = at ? ` in ${at}` : after ? ` after ${after}` : "";
      return { notRun: `The process that checked the driver ${how}${where}` };
    }
    lost[at] = `the process ${how}`;
  }
}

async function runOnce(options: VulkanCheckOptions, tell: (verdict: Verdict) => void): Promise<Ending> {
  const file = new URL("./child.ts", import.meta.url).href, { timeout = DEFAULT_TIMEOUT } = options;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-check", ...ownFlags(file), file],
    env: { [CHECK_VARIABLE]: JSON.stringify(options) },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let at: string | undefined,
    after: string | undefined,
    last: ChildLine | undefined,
    hung: string | undefined,
    timer: ReturnType<typeof setTimeout> | undefined;
  const watch = (milliseconds: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      hung = `did not come back within ${milliseconds / 1000} s and was ended`;
      child.kill("SIGKILL");
    }, milliseconds);
  };
  watch(OPENING);
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream())) {
    const line = parsed(text);
    if (line?.begin !== undefined) watch(WAITS * timeout);
    after = line?.returned ?? after;
    at = line?.begin ?? line?.call ?? (line?.end || line?.returned ? undefined : at);
    if (line?.end) tell(line.end);
    if (line?.report || line?.wrong !== undefined || line?.notRun !== undefined) last = line;
    if (last) watch(CLOSING); // only the driver is left to close
  }
  const { signal, code } = await child.status;
  clearTimeout(timer);
  return { last, at, after, how: hung ?? (signal ? `was ended by ${signal}` : `ended with exit code ${code}`) };
}

/** Parses a line of the process; `undefined` for a line that the driver printed. */
function parsed(text: string): ChildLine | undefined {
  try {
    const line = JSON.parse(text);
    return typeof line === "object" && line !== null ? line : undefined;
  } catch {
    return undefined;
  }
}

/** Splits a stream of text into its lines, without line breaks. */
class TextLineStream extends TransformStream<string, string> {
  constructor() {
    let rest = "";
    super({
      transform(text, lines) {
        const parts = (rest + text).split("\n");
        rest = parts.pop()!;
        for (const line of parts) lines.enqueue(line);
      },
      flush(lines) {
        if (rest !== "") lines.enqueue(rest);
      },
    });
  }
}
