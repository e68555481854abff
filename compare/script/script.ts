import type { RecordedStream } from "../../loader/layers.ts";
import type { DriverDifference } from "../finding.ts";
import { actionText, findingText, identityText } from "../report/text.ts";
import type { DriverIdentity } from "../sides/protocol.ts";
import type { ComparedDriver } from "../sides/side.ts";
import { isSubmission } from "../sides/cut.ts";
import { checksOf } from "./checks.ts";
import { Constants } from "./constants.ts";
import { linesOf, type Node } from "./node.ts";
import { Program } from "./program.ts";

/** A driver of a script. */
export interface ScriptDriver extends ComparedDriver {
  readonly identity: DriverIdentity | undefined;
}

/** What a script is written from. */
export interface ScriptSource {
  /** The recording. */
  readonly stream: RecordedStream;
  /** What differs at its end. */
  readonly finding: DriverDifference;
  /** The drivers, and who they are. */
  readonly drivers: readonly [ScriptDriver, ScriptDriver];
}

/** A script, and the name of its test. */
export interface Script {
  readonly name: string;
  readonly text: string;
}

/** What a test gets, as far as the script uses it. */
const CONTEXT = ["buffer", "device", "instance", "owned", "queue", "queueFamilyIndex", "submit"];
const MAKE_IMAGE = `/** Makes an image in memory of the device. Both end with the test. */
function makeImage({ device, physicalDevice, owned }: GpuTestContext, info: VkImageCreateInfo): VkImage {
  const image = device.vkCreateImage(info), { size, memoryTypeBits } = device.vkGetImageMemoryRequirements(image);
  const { memoryTypes } = physicalDevice.vkGetPhysicalDeviceMemoryProperties();
  const memoryTypeIndex = memoryTypes.findIndex((_, index) => (memoryTypeBits >>> index & 1) === 1);
  const memory = device.vkAllocateMemory({ allocationSize: size, memoryTypeIndex });
  owned.defer(() => device.vkFreeMemory(memory));
  device.vkBindImageMemory(image, memory, 0n);
  owned.defer(() => device.vkDestroyImage(image));
  return image;
}`;
const TURN = `/** Changes the layout of a part of an image, after all earlier commands and before all later ones. */
function turn(
  commands: VkCommandBuffer,
  image: VkImage,
  subresourceRange: VkImageSubresourceRange,
  oldLayout: VkImageLayout,
  newLayout: VkImageLayout,
): void {
  const all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, access = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  commands.vkCmdPipelineBarrier(all, all, 0, [], [], [{
    srcAccessMask: access,
    dstAccessMask: access,
    oldLayout,
    newLayout,
    srcQueueFamilyIndex: VK_QUEUE_FAMILY_IGNORED,
    dstQueueFamilyIndex: VK_QUEUE_FAMILY_IGNORED,
    image,
    subresourceRange,
  }]);
}`;

/**
 * Writes a recording as a test that passes on the first driver and fails on the
 * second.
 *
 * @throws {Unscriptable} for a recording that cannot be a test.
 */
export async function scriptOf({ stream, finding, drivers }: ScriptSource): Promise<Script> {
  const constants = await Constants.load(), isDifference = finding.kind === "differs";
  const read = new Set(finding.differences.map(({ piece }) => piece.resource).filter((each) => /^VkImage#/.test(each)));
  const program = new Program(stream, constants, read), { lines } = stream;
  const last = lines.filter(isSubmission).length - 1;
  program.upTo(lines, isDifference ? finding.submission! : last);
  const body = [...program.statements, ...isDifference ? checksOf(finding, program, constants) : []];
  const name = nameOf(finding, program);
  return { name, text: fileOf({ finding, drivers, name, body, program, constants }) };
}

function nameOf({ kind, action, differences: [first], side }: DriverDifference, { variables }: Program): string {
  const what = action?.command ?? "the recording";
  if (kind !== "differs") return `${what} does not end on ${"AB"[side!]}: ${kind}`;
  return `${what} gives the same in ${variables.of(first.piece.resource)}`;
}

function fileOf(parts: {
  finding: DriverDifference;
  drivers: ScriptSource["drivers"];
  name: string;
  body: readonly Node[];
  program: Program;
  constants: Constants;
}): string {
  const { finding, drivers, name, body, program, constants } = parts;
  const statements = body.flatMap((node) => linesOf(node, "  ")), text = statements.join("\n");
  const helpers = [
    ...text.includes("makeImage(") ? [MAKE_IMAGE] : [],
    ...text.includes("turn(") ? [TURN] : [],
    ...program.shaders.functions,
  ];
  const all = [text, ...program.requirements.flatMap((each) => linesOf(each, "")), ...helpers].join("\n");
  const test = linesOf({ open: "{", items: program.requirements, close: "}" }, "").join("\n");
  const used = CONTEXT.filter((each) => new RegExp(`(^|[^.\\w])${each}\\b`).test(text.replace(/\w+: /g, "")));
  const context = text.includes("makeImage(")
    ? ["(context) => {", `  const { ${used.join(", ")} } = context;`]
    : [`({ ${used.join(", ")} }) => {`];
  return [
    headOf(finding, drivers),
    importsOf(all, constants),
    "",
    `gpuTest(${JSON.stringify(name)}, ${program.requirements.length > 0 ? test : "{}"}, ${context[0]}`,
    ...context.slice(1),
    ...statements,
    "});",
    ...helpers.flatMap((helper) => ["", helper]),
    "",
  ].join("\n");
}

function headOf(finding: DriverDifference, drivers: ScriptSource["drivers"]): string {
  const lines = [
    ...finding.action ? actionText(finding.action) : findingText(finding),
    "",
    ...drivers.map((driver, index) => `${"AB"[index]}: ${driverText(driver)}`),
    "",
    "The test passes on A and fails on B.",
    ...drivers.every(({ layers = [] }) => layers.length === 0)
      ? [`  PUMICE_DRIVERS=${drivers.map(({ driver }) => driver).join(":")} deno test -A THIS_FILE`]
      : ["Without the layers, on drivers alone:  PUMICE_DRIVERS=LIBRARY:LIBRARY deno test -A THIS_FILE"],
  ];
  return ["/**", ...lines.map((line) => ` * ${line.replaceAll("*/", "* /")}`.trimEnd()), " *", " * @module", " */"]
    .join("\n");
}

function driverText({ driver, layers = [], identity }: ScriptDriver): string {
  return [identityText(identity), driver, ...layers.map((layer) => `below ${layer}`)].join(", ");
}

const TYPES = ["VkCommandBuffer", "VkImage", "VkImageCreateInfo", "VkImageLayout", "VkImageSubresourceRange"];

function importsOf(text: string, constants: Constants): string {
  const has = (name: string) => new RegExp(`\\b${name}\\b`).test(text);
  for (const [name] of text.matchAll(/\bVK_[A-Z0-9_a-z]+\b/g)) constants.use(name);
  const used = [...constants.used].filter(has).sort(),
    types = TYPES.filter((name) => new RegExp(`: ${name}\\b`).test(text));
  const names = {
    open: "import {",
    items: [...types.map((name) => `type ${name}`), ...used],
    close: '} from "jsr:@pumice/gfx/vk";',
  };
  return [
    `import { gpuTest${text.includes("makeImage(") ? ", type GpuTestContext" : ""} } from "jsr:@pumice/gfx/testing";`,
    ...names.items.length > 0 ? linesOf(names, "") : [],
    ...text.includes("deepStrictEqual(") ? ['import { deepStrictEqual } from "node:assert/strict";'] : [],
  ].join("\n");
}
