import type { RecordedStream } from "../replay/stream.ts";
import type { DriverDifference } from "../compare/finding.ts";
import { differenceText, DRIVERS, findingText, identityText } from "../compare/report/text.ts";
import type { DriverIdentity } from "../compare/driver_process/protocol.ts";
import { type ComparedDriver, isOneDriver } from "../compare/driver_process/side.ts";
import { isSubmission } from "../compare/driver_process/cut.ts";
import { checksOf, differenceIn } from "./checks.ts";
import { Constants } from "./constants.ts";
import { linesOf, type Node } from "./node.ts";
import { Program } from "./program.ts";

/** A driver of a script. */
export interface ScriptDriver extends ComparedDriver {
  readonly identity: DriverIdentity | undefined;
}

/** The source of a script. */
export interface ScriptSource {
  /** The recording. */
  readonly stream: RecordedStream;
  /** The difference at the recording's end. */
  readonly finding: DriverDifference;
  /** The drivers with their identities. */
  readonly drivers: readonly [ScriptDriver, ScriptDriver];
}

/** A script, and the name of its test. */
export interface Script {
  readonly name: string;
  readonly text: string;
}

/** The style of a script. */
export interface ScriptStyle {
  /** Whether objects are made by helpers, each where it is needed first. */
  readonly isCondensed: boolean;
  /** Whether barriers wait for everything, each in one line. They may then hide a fault that other barriers show. */
  readonly isWide: boolean;
}

/** The members of a test's context that the script uses, with their names in the script. */
const CONTEXT: readonly (readonly [name: string, variable: string])[] = [
  ["bareImage", "bareImage"],
  ["buffer", "buffer"],
  ["compute", "compute"],
  ["computePipeline", "computePipeline"],
  ["descriptorSet", "descriptorSet"],
  ["graphicsPipeline", "graphicsPipeline"],
  ["instance", "instance"],
  ["ownedDevice: device", "device"],
  ["queue", "queue"],
  ["queueFamilyIndex", "queueFamilyIndex"],
  ["readImage", "readImage"],
  ["renderPass", "renderPass"],
  ["submit", "submit"],
  ["view", "view"],
];
/** Functions of the package that scripts use. */
const HELPERS = ["fullBarrier", "turnImage", "zeroImage"];

/**
 * Writes a recording as a test that passes on the first driver and fails on the
 * second.
 *
 * @throws {Unscriptable} for a recording that cannot be a test.
 */
export async function scriptOf({ stream, finding, drivers }: ScriptSource, style: ScriptStyle): Promise<Script> {
  const constants = await Constants.load(), isDifference = finding.kind === "differs";
  const read = new Set(finding.differences.map(({ piece }) => piece.resource).filter((each) => /^VkImage#/.test(each)));
  const program = new Program(stream, constants, read, style), { lines } = stream;
  const last = lines.filter(isSubmission).length - 1;
  program.upTo(lines, isDifference ? finding.submission! : last);
  const body = [...program.statements, ...isDifference ? checksOf(finding, program) : []];
  const name = nameOf(finding, program);
  return { name, text: fileOf({ finding, drivers, name, body, program }) };
}

function nameOf({ kind, action, differences, side }: DriverDifference, { variables }: Program): string {
  const what = action?.command ?? "the recording";
  if (kind !== "differs") return `${what} does not end on ${"AB"[side!]}: ${kind}`;
  return `${what} gives the same in ${variables.of(differenceIn(differences).piece.resource)}`;
}

function fileOf({ finding, drivers, name, body, program }: {
  finding: DriverDifference;
  drivers: ScriptSource["drivers"];
  name: string;
  body: readonly Node[];
  program: Program;
}): string {
  const statements = body.flatMap((node) => linesOf(node, "  ")), text = statements.join("\n");
  const used = contextIn(text), { requirements } = program, open = `gpuTest(${JSON.stringify(name)}, `;
  const context = used.length === 0 ? "" : `{ ${used.join(", ")} }`;
  const test = requirements.length > 0
    ? { open: `${open}{`, items: requirements, close: `}, (${context}) => {`, fills: true }
    : used.length > 0
    ? { open: `${open}({`, items: used, close: "}) => {", fills: true }
    : `${open}() => {`;
  const head = linesOf(test, "");
  return [
    headOf(finding, drivers, program),
    importsOf([...head, text].join("\n")),
    "",
    ...head,
    ...statements,
    "});",
    ...[...program.functions, ...program.shaders.functions].flatMap((each) => ["", each]),
    "",
  ].join("\n");
}

/** Whether a script uses a name, which is not the name of a member. */
function uses(text: string, name: string): boolean {
  return new RegExp(`(^|[^.\\w])${name}\\b(?!: )`, "m").test(text);
}

/** Returns the members of the context that a script uses. */
function contextIn(text: string): string[] {
  return CONTEXT.filter(([, variable]) => uses(text, variable)).map(([each]) => each);
}

function headOf(finding: DriverDifference, drivers: ScriptSource["drivers"], { variables }: Program): string {
  const { action, differences } = finding,
    named = (text: string) => text.replace(/Vk\w+#\d+/g, (each) => variables.of(each)),
    isOne = isOneDriver(drivers),
    shown = isOne ? drivers.slice(0, 1) : drivers;
  const lines = [
    ...action
      ? [`${action.command} is the first command whose result differs.`, ...differences.map(differenceText).map(named)]
      : findingText(finding).map(named),
    "",
    ...shown.map((driver, index) => `${DRIVERS[index]}: ${driverText(driver)}`),
    isOne ? "The test fails on driver A." : "The test passes on driver A and fails on driver B.",
    ...drivers.every(({ layers = [] }) => layers.length === 0)
      ? [`  PUMICE_DRIVERS=${shown.map(({ driver }) => driver).join(":")} deno test -A THIS_FILE`]
      : ["Without the layers, on drivers alone:  PUMICE_DRIVERS=LIBRARY:LIBRARY deno test -A THIS_FILE"],
  ];
  return ["/**", ...lines.map((line) => ` * ${line.replaceAll("*/", "* /")}`.trimEnd()), " *", " * @module", " */"]
    .join("\n");
}

function driverText({ driver, layers = [], identity }: ScriptDriver): string {
  return [identityText(identity), driver, ...layers.map((layer) => `below ${layer}`)].join(", ");
}

function importsOf(text: string): string {
  const helpers = HELPERS.filter((name) => uses(text, name));
  return [
    `import { ${["gpuTest", ...helpers].sort().join(", ")} } from "jsr:@pumice/gfx/testing";`,
    ...uses(text, "vk") ? ['import * as vk from "jsr:@pumice/gfx/vk";'] : [],
    ...uses(text, "deepStrictEqual") ? ['import { deepStrictEqual } from "node:assert/strict";'] : [],
  ].join("\n");
}
