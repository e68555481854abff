import { destroyingOf } from "../layers/shipped/leaks/pairs.ts";
import type { RecordedCall, RecordedLine } from "../layers/shipped/record/line.ts";
import { checkEncoding, handleOutputs, namesIn, parseCall } from "./arguments.ts";
import { RecordingError } from "./error.ts";
import { type Meaning, parseValue } from "./parse.ts";
import { refusedCommand } from "./refused.ts";
import type { RecordedStream } from "./stream.ts";

/** A handle that stands for all: while checking, nothing is called. */
const SOME = 1n;
const NAME = /^(Vk\w+)#\d+$/;

/**
 * Goes through a recording without calling anything: every command must exist
 * and be one that can be replayed, every value fit, every object be made
 * before it is used and not be used after it was destroyed, and all bytes be
 * there.
 *
 * @throws {RecordingError} when something is not so.
 */
export function checkStream({ lines, data }: RecordedStream): void {
  const living = new Set<string>(), gone = new Set<string>();
  const meaning: Meaning = {
    handle(type, name) {
      if (typeof name !== "string" || NAME.exec(name)?.[1] !== type) {
        throw new TypeError(`${JSON.stringify(name)} is no name of a ${type}`);
      }
      if (gone.has(name)) throw new TypeError(`${name} was destroyed before`);
      if (!living.has(name) && type !== "VkPhysicalDevice") throw new TypeError(`no line before makes ${name}`);
      return SOME;
    },
    data,
    family: (index) => index,
  };
  for (const [index, line] of lines.entries()) {
    located(index, line, () => checkLine(line, meaning, living, gone));
  }
}

/** Runs a step; what it throws says where. */
export function located<T>(index: number, line: RecordedLine, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof RecordingError && error.line > 0) throw error;
    const what = "command" in line ? line.command : "write" in line ? `write to ${line.write}` : "read";
    const number = index + 2, reason = (error as Error).message; // the first line is the header
    throw new RecordingError(number, `Cannot replay line ${number}, ${what}: ${reason}`, { cause: error });
  }
}

function checkLine(line: RecordedLine, meaning: Meaning, living: Set<string>, gone: Set<string>): void {
  if ("missing" in line) {
    throw new TypeError(`the recording has gaps. ${line.missing}; record a program whose calls are all seen`);
  }
  if ("command" in line) return checkCall(line, meaning, living, gone);
  const [type, name] = "write" in line ? ["VkDeviceMemory", line.write] : ["VkBuffer", line.read];
  meaning.handle(type, name);
  parseValue({ name: "content", type: "void" }, line.content, meaning);
}

function checkCall(call: RecordedCall, meaning: Meaning, living: Set<string>, gone: Set<string>): void {
  const reason = refusedCommand(call.command);
  if (reason) throw new TypeError(`it ${reason}; record a program that does without it`);
  const parsed = parseCall(call, meaning), destroying = destroyingOf(call.command)?.type;
  checkEncoding(parsed);
  for (const { type, name } of parsed.plan.parameters) {
    if (type === destroying) namesIn(call.args[name]).forEach((each) => each && remove(each, living, gone));
  }
  for (const { type, name } of handleOutputs(parsed.plan)) {
    for (const each of namesIn(call.out?.[name])) {
      if (each === null && type.startsWith("VkPipeline")) continue; // one of several may have failed
      if (typeof each !== "string" || NAME.exec(each)?.[1] !== type) {
        throw new TypeError(`out.${name} is ${JSON.stringify(each)}; give the name of a ${type}`);
      }
      living.add(each);
      gone.delete(each);
    }
  }
}

function remove(name: string, living: Set<string>, gone: Set<string>): void {
  living.delete(name);
  gone.add(name);
}
