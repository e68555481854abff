/**
 * The program of a process that replays recordings on one driver, for a process
 * that compares two. It reads requests from standard input, a line of JSON
 * each, and answers on standard output.
 *
 * @module
 */
import { requireDriver } from "../../../../loader/api/load_vulkan.ts";
import type { Vulkan } from "../../../../loader/api/vulkan.ts";
import type { Layer } from "../../../../loader/layer.ts";
import { loadVulkan } from "../../../../loader/api/load_vulkan.ts";
import { RecordingError } from "../../replay/error.ts";
import { lineNumber, RecordingFile } from "../../replay/recording_file.ts";
import type { VkPhysicalDevice } from "../../../../loader/gen/types_core_gen.ts";
import { endWithParent } from "../../../process/end_with_parent.ts";
import { Hashes } from "./hashes.ts";
import { LineNote, withHeartbeat } from "./heartbeat.ts";
import {
  type Alive,
  type Answer,
  type Cut,
  type DriverIdentity,
  RequestLines,
  type RestRequest,
  type RunRequest,
  type SideTask,
} from "./protocol.ts";
import { type Rest, runStream } from "./run.ts";

// Loaded when they are needed: Deno would read all files of a plain import("PATH") at the start.
type LayerFileModule = typeof import("../../../../loader/layers/define/layer_file.ts");
type FactsModule = typeof import("../../../programs/facts.ts");

async function serve(task: SideTask): Promise<void> {
  if (!endWithParent(task.parent)) return;
  Deno.addSignalListener("SIGINT", () => {}); // Ctrl-C means the parent, which ends this process
  const requests = new RequestLines(), place: Place = { folder: task.folder, requests, hashes: new Hashes() };
  try {
    const layers = await layersOf(task);
    using vulkan = requireDriver(loadVulkan({ ...task.vulkan, layers: [...layers, ...task.vulkan.layers ?? []] }));
    for (let request = requests.next(); request; request = requests.next()) {
      if ("facts" in request) answer(await factsOf(vulkan as Vulkan));
      else answer(run(vulkan as Vulkan, request as RunRequest, place));
    }
  } catch (error) {
    answer({ unusable: (error as Error).message });
  }
}

async function layersOf({ layerFiles }: SideTask): Promise<Layer[]> {
  if (layerFiles.length === 0) return [];
  const { loadLayer } = await import("../../../../loader/layers/define/layer_file.ts" as string) as LayerFileModule;
  return await Promise.all(layerFiles.map(loadLayer));
}

/** The module is loaded for this request alone. */
async function factsOf(vulkan: Vulkan): Promise<Answer> {
  const { fuzzFacts } = await import("../../../programs/facts.ts" as string) as FactsModule;
  return { facts: fuzzFacts(vulkan) };
}

function run(vulkan: Vulkan, request: RunRequest, place: Place): Answer {
  const { unsealed, timeout, cut, only, also, validates, where, stands, isMeasured } = request;
  using note = where === undefined ? undefined : new LineNote(where);
  try {
    const unread: Record<string, string> = {}, errors: string[] = [], errorLines: number[] = [];
    let line = 0;
    const recording = withHeartbeat(new RecordingFile(request.run, unsealed), () => answer({ alive: true }));
    const calls = runStream(vulkan, recording, {
      timeout,
      cut,
      only,
      also,
      isMeasured,
      onError: validates
        ? (message) => {
          errors.push(message);
          errorLines.push(line);
        }
        : undefined,
      isEnough: validates === "first" ? () => errors.length > 0 : undefined,
      onLine(index) {
        line = lineNumber(index);
        note?.put(line);
      },
      onUnread: (name, reason) => unread[name] = reason,
      onDevice(gpu) {
        const { timestampPeriod } = gpu.vkGetPhysicalDeviceProperties().limits;
        answer({ began: identityOf(gpu), timestampPeriod });
      },
      onRest(rest) {
        Object.assign(unread, Object.fromEntries(rest.unread));
        return "next" in resting(rest, place);
      },
      onStop: stands
        ? (rest, reasonAgainst) => {
          const end = resting(rest, place, reasonAgainst);
          return "at" in end ? end.at : undefined;
        }
        : undefined,
    });
    return { done: { calls, unread, errors, errorLines } };
  } catch (error) {
    const { line, code } = error instanceof RecordingError ? error : { line: 0, code: "failed" as const };
    return { failed: (error as Error).message, line, code };
  }
}

/** The means by which replays hand out contents. */
interface Place {
  /** The folder for bytes. */
  readonly folder: string;
  readonly requests: RequestLines;
  readonly hashes: Hashes;
}

/** Tells what was written, and hands out bytes until told to go on, which is returned. */
function resting(
  rest: Rest,
  { folder, requests, hashes }: Place,
  reasonAgainst?: (cut: Cut) => string | undefined,
): RestRequest {
  const all = rest.read();
  const pieces = rest.readable.map((piece, index) => ({
    ...piece,
    size: all[index].length,
    hash: reasonAgainst ? "" : hashes.of(all[index]), // nobody compares what is looked at alone
  }));
  const unread = Object.fromEntries(rest.unread);
  answer({ submission: rest.submission, line: lineNumber(rest.index), pieces, unread });
  for (let request = requests.next() as RestRequest; request; request = requests.next() as RestRequest) {
    if ("at" in request) {
      const cannot = reasonAgainst ? reasonAgainst(request.at.cut) : "the replay does not stand";
      if (cannot === undefined) return request;
      answer({ cannot });
    } else if (!("bytes" in request)) return request;
    else {
      const file = `${folder}/bytes`;
      Deno.writeFileSync(file, new Uint8Array(0));
      for (const index of request.bytes) Deno.writeFileSync(file, all[index], { append: true });
      answer({ file, loose: request.bytes.map((index) => rest.looseIn(rest.readable[index])) });
    }
  }
  return { stop: true };
}

function identityOf(gpu: VkPhysicalDevice): DriverIdentity {
  const { deviceName, driverVersion, apiVersion } = gpu.vkGetPhysicalDeviceProperties();
  const version = (value: number) => `${value >>> 22 & 127}.${value >>> 12 & 1023}.${value & 4095}`;
  return { deviceName, driver: version(driverVersion), apiVersion: version(apiVersion) };
}

function answer(text: Answer | Alive): void {
  const bytes = new TextEncoder().encode(`${JSON.stringify(text)}\n`);
  for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
}

if (import.meta.main) await serve(JSON.parse(Deno.args[0]));
