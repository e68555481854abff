import { type ApiTrace, apiTrace } from "../../loader/layers/shipped/trace/api_trace.ts";
import { TextLines } from "../../loader/layers/shipped/trace/text_lines.ts";
import { newFile } from "../../loader/layers/shipped/native/file.ts";
import { prepareHooks } from "../../loader/layers/shipped/native/prepare.ts";
import type { Process, Request } from "../command.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { written } from "../layers/presets.ts";
import type { ScriptLayer } from "../layers/script_layer.ts";
import { existingModule } from "../../workbench/process/files.ts";
import { runLayered } from "./run_layered.ts";

// Loaded when it is needed: cli/commands.ts says why "as string".
type TimelineModule = typeof import("../../workbench/timeline/mod.ts");

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
  const { perfettoTrace } = await import("../../workbench/timeline/mod.ts" as string) as TimelineModule;
  const trace = perfettoTrace({ path });
  return { ...layerOf(trace, path), gles: trace.glesLayer };
}

function lineTrace(path: string): ScriptLayer {
  return layerOf(apiTrace({ path }), path);
}

/** Text comes as the calls return, into a file or between what the script prints. */
function textTrace(path: string | undefined, print: (text: string) => void): ScriptLayer {
  prepareHooks();
  const lines = new TextLines(), file = path === undefined ? undefined : newFile(path, "--out");
  function write(text: string): void {
    const size = file?.size;
    try {
      if (file) file.writeText(`${text}\n`);
      else print(text);
    } catch (error) {
      file?.cutTo(size!); // a part of a line is no line
      throw error;
    }
  }
  const take = (line: string) => {
    const text = lines.take(JSON.parse(line));
    if (text !== undefined) write(text);
  };
  const trace = apiTrace({ write: take });
  let error: unknown;
  function close(): void {
    trace.close();
    try {
      if (trace.error === undefined) lines.rest().forEach(write);
    } catch (failure) {
      error = failure;
    }
    file?.close();
  }
  return layerOf({
    layer: trace.layer,
    close,
    get error() {
      return trace.error ?? error;
    },
  }, path);
}

/** `path` is the file that is written, if any. */
function layerOf(trace: Pick<ApiTrace, "layer" | "error" | "close">, path: string | undefined): ScriptLayer {
  const layer = written(trace, path ?? "trace");
  return { ...layer, report: () => layer.report!() || (path === undefined ? "" : `${path}: the calls of the script`) };
}
