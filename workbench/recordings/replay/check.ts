import { planOf } from "../../../loader/command/plan.ts";
import { findCommand } from "../../../loader/command/registry/table.ts";
import { commandBuffersIn, coreName } from "../record/commands.ts";
import type { RecordedCall, RecordedLine } from "../record/line.ts";
import { addressIn } from "./addresses.ts";
import { handleOutputs, namesIn } from "../state_tracker/objects.ts";
import { checkEncoding, parseCall, type ParsedCall } from "./arguments.ts";
import { RecordingError, type RecordingErrorCode } from "./error.ts";
import { Flow } from "../state_tracker/flow.ts";
import { isNameOf, Living } from "./living.ts";
import { parseValue } from "./parse.ts";
import { isPresenting, refusedCommand } from "./refused.ts";
import { lineNumber, type Recording } from "./recording_file.ts";
import { Survey } from "./survey.ts";

/**
 * Checks a recording without calling anything. Every command must exist and be
 * replayable, and every value must fit. Every object must be created before its
 * use and not be used after its destruction. Commands must be in command
 * buffers that were begun, and all bytes must be available. Returns what a
 * replay must know before it begins.
 *
 * With `breaksRules` calls may ask for what their objects do not have: a validation layer is to say so.
 *
 * @throws {RecordingError} if a check fails.
 */
export function checkStream({ lines, data }: Recording, { breaksRules = false } = {}): Survey {
  const living = new Living(data, !breaksRules), survey = new Survey(), flow = new Flow();
  for (const [index, line] of lines.entries()) {
    located(index, line, () => {
      checkLine(line, index, living, flow);
      if ("command" in line) checkFlow(line, lineNumber(index), flow);
      survey.note(line);
    }, "unsupported");
  }
  return survey;
}

/** Runs a step. Errors get the number of the line, and a code: by default that of a step that a driver may have failed. */
export function located<T>(
  index: number,
  line: RecordedLine,
  step: () => T,
  code: RecordingErrorCode = "failed",
): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof RecordingError && error.line > 0) throw error;
    const what = wordFor(line);
    const number = lineNumber(index), reason = (error as Error).message;
    throw new RecordingError(code, number, `Cannot replay line ${number}, ${what}: ${reason}`, { cause: error });
  }
}

/** Returns the words for a line in an error. The end of a recording is a gap without words. */
function wordFor(line: RecordedLine): string {
  if ("command" in line) return line.command;
  if ("write" in line) return `write to ${line.write}`;
  return "read" in line ? "read" : line.missing === "" ? "end" : "gap";
}

function checkLine(line: RecordedLine, index: number, living: Living, flow: Flow): void {
  if ("missing" in line) {
    throw new TypeError(`the recording has gaps. ${line.missing}; record a program whose calls are all seen`);
  }
  if ("command" in line) return checkCall(line, index, living, flow);
  const [type, name] = "write" in line
    ? ["VkDeviceMemory", line.write]
    : [line.read.startsWith("VkImage#") ? "VkImage" : "VkBuffer", line.read];
  living.handle(type, name);
  parseValue({ name: "content", type: "void", kind: "void" }, line.content, living);
}

function checkCall(call: RecordedCall, index: number, living: Living, flow: Flow): void {
  const { command } = call, reason = refusedCommand(command);
  if (reason) throw new TypeError(`it ${reason}; record a program that does without it`);
  const parsed = isPresenting(command) ? presenting(call, living) : parseCall(call, living);
  if (!isPresenting(command)) checkEncoding(parsed);
  living.bounds?.check(coreName(command), call, parsed.given);
  checkRecording(coreName(command), call, living);
  noteAddress(coreName(command), call, living);
  checkOutputs(call, parsed);
  for (const ended of living.note(call, index)) flow.forget(ended);
  living.bounds?.note(coreName(command), call);
}

/** Notes sizes of buffers, and what has an address. */
function noteAddress(core: string, call: RecordedCall, living: Living): void {
  if (core === "vkCreateBuffer") living.sized(call.out?.pBuffer, BigInt(call.args.pCreateInfo.size));
  const found = addressIn(core, call);
  if (found) living.addressed(...found);
}

/** Throws a `TypeError` at a wait that never ends, because no call gives what work waits for. */
function checkFlow(call: RecordedCall, line: number, flow: Flow): void {
  const reason = flow.endless(coreName(call.command), call.args);
  if (reason !== "") throw new TypeError(`${reason}; edit what waits, or leave the wait out`);
  flow.follow(call, line);
}

/** Only the names in a window system's command matter, because it is never called. */
function presenting({ command, args }: RecordedCall, living: Living): ParsedCall {
  const plan = planOf(findCommand(command)!), self = args[plan.parameters[0].name];
  for (const { type, name, role, kind } of plan.parameters) {
    if (role === "value" && kind === "h" && args[name] !== undefined) living.handle(type, args[name]);
  }
  for (const each of args.pPresentInfo?.pSwapchains ?? []) living.handle("VkSwapchainKHR", each);
  return { plan, self, given: new Map() };
}

function checkOutputs({ out }: RecordedCall, { plan }: ParsedCall): void {
  for (const { type, name } of handleOutputs(plan)) {
    for (const each of namesIn(out?.[name])) {
      if (each === null && type === "VkPipeline") continue; // one of several may have failed
      if (!isNameOf(type, each)) throw new TypeError(`out.${name} is ${JSON.stringify(each)}; give names of a ${type}`);
    }
  }
}

/** Drivers do not survive commands in a command buffer that is not recording. */
function checkRecording(core: string, call: RecordedCall, living: Living): void {
  const { commandBuffer } = call.args;
  if (core === "vkBeginCommandBuffer") living.begin(commandBuffer, true);
  else if (core === "vkEndCommandBuffer" || core.startsWith("vkCmd")) living.expect(commandBuffer, true);
  if (core === "vkEndCommandBuffer") living.begin(commandBuffer, false);
  if (core === "vkCmdExecuteCommands") call.args.pCommandBuffers.forEach((each: string) => living.expect(each, false));
  if (core.startsWith("vkQueueSubmit")) commandBuffersIn(call).forEach((each) => living.expect(each, false));
}
