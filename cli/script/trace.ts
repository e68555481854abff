import { type ApiTrace, apiTrace } from "../../loader/layers/shipped/trace/api_trace.ts";
import { TextLines } from "../../loader/layers/shipped/trace/text_lines.ts";
import { newFile } from "../../loader/layers/shipped/native/file.ts";
import { prepareHooks } from "../../loader/layers/shipped/native/prepare.ts";
import { type Process, type Request, WrongUse } from "../command.ts";
import type { ScriptLayer } from "../layers/script_layer.ts";
import { existingModule } from "../files.ts";
import { runLayered } from "./run_layered.ts";

/** Runs a script and writes down its calls: the exit code, 1 for a trace that is not whole. */
export async function trace(request: Request, print: (text: string) => void, process: Process): Promise<number> {
  existingModule("trace", request.operand!);
  const { out, perfetto, text } = request.values as { out?: string; perfetto?: string; text?: boolean };
  const own: ScriptLayer[] = [];
  if (perfetto !== undefined) own.push(await timeline(perfetto));
  if (text === true) own.push(textTrace(out, print));
  else if (out !== undefined || perfetto === undefined) own.push(lineTrace(out ?? "trace.jsonl"));
  const code = await runLayered({ request, own, print, process });
  return code === 0 && own.some(({ isWhole }) => isWhole?.() === false) ? 1 : code;
}

/** The library that writes the format is loaded only for this. */
async function timeline(path: string): Promise<ScriptLayer> {
  if (path === "") throw new WrongUse("--perfetto is empty: give the file to write, such as frame.pftrace");
  const { perfettoTrace } = await import("../../perfetto.ts");
  const trace = perfettoTrace({ path });
  return { ...layerOf(trace, () => path), gles: trace.glesLayer };
}

function lineTrace(path: string): ScriptLayer {
  return layerOf(apiTrace({ path }), () => path);
}

/** Text comes as the calls return, into a file or between what the script prints. */
function textTrace(path: string | undefined, print: (text: string) => void): ScriptLayer {
  prepareHooks();
  const lines = new TextLines(), file = path === undefined ? undefined : newFile(path, "--out");
  const write = (text: string) => file ? file.writeText(`${text}\n`) : print(text);
  const take = (line: string) => {
    const text = lines.take(JSON.parse(line));
    if (text !== undefined) write(text);
  };
  return layerOf(apiTrace({ write: take }), () => {
    lines.rest().forEach(write);
    file?.close();
    return path;
  });
}

/** `end` says which file was written, if any. */
function layerOf(trace: Pick<ApiTrace, "layer" | "error" | "close">, end: () => string | undefined): ScriptLayer {
  return {
    current: () => trace.layer,
    close: () => trace.close(),
    isWhole: () => trace.error === undefined,
    report() {
      const path = end();
      if (trace.error !== undefined) return `${path ?? "trace"}: not written to the end: ${messageOf(trace.error)}`;
      return path === undefined ? "" : `${path}: the calls of the script`;
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : `${error}`;
}
