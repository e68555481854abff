import { findCommand } from "../../loader/command/registry/table.ts";
import type { RecordedCall, RecordedLine, RecordedStream } from "../../loader/layers.ts";
import { coreName } from "../../loader/layers/shipped/record/commands.ts";
import { commandBuffersIn } from "../../loader/layers/shipped/record/submissions.ts";
import { Definer } from "../contents/define.ts";
import type { Fields } from "../follow/fields.ts";
import { Follower } from "../follow/follower.ts";
import { isSubmission } from "../sides/cut.ts";
import { Calls } from "./calls.ts";
import type { Constants } from "./constants.ts";
import { HostMemory } from "./host_memory.ts";
import { after, block, type Node } from "./node.ts";
import { Shaders } from "./shaders.ts";
import { Unscriptable } from "./unscriptable.ts";
import { Values } from "./values.ts";
import { Variables } from "./variables.ts";

/** Calls of which the script's context takes care, or that answer what nobody asks here. */
const NOT_WRITTEN =
  /^vk(Enumerate|Get|Map|Unmap|Flush|Invalidate|Wait|Signal|Destroy|Free|Reset(Fences|CommandPool|CommandBuffer)|TrimCommandPool|CreateFence|CreateSemaphore|QueueWaitIdle|DeviceWaitIdle)/;
const WINDOWS = /Swapchain|Present|Surface|AcquireNextImage/;
const SECONDARY = 1, TRANSFER_SRC = 1, TRANSFER_DST = 2;
/** Objects that end with their pool or their device. */
const NOT_DESTROYED = /^Vk(CommandBuffer|DescriptorSet|Queue)#/;

/** A recording as the statements of a test. */
export class Program {
  /** The statements so far. */
  readonly statements: Node[] = [];
  /** What the device must have, as the options of a test. */
  readonly requirements: Node[] = [];
  readonly variables: Variables;
  readonly values: Values;
  readonly shaders: Shaders = new Shaders();
  readonly follower: Follower = new Follower();
  readonly #constants: Constants;
  readonly #calls: Calls;
  readonly #definer: Definer;
  readonly #memory: HostMemory;
  /** Commands by primary command buffer. */
  readonly #primary = new Map<string, RecordedCall[]>();
  readonly #pools: ReadonlySet<string>;
  readonly #usages: ReadonlyMap<string, number>;
  /** What nobody destroys yet: calls of the device. */
  #living: string[] = [];

  /** Reads no line yet. Images that are read get the usage for that. */
  constructor({ lines, data }: RecordedStream, constants: Constants, read: ReadonlySet<string>) {
    this.variables = new Variables(lines);
    this.#constants = constants;
    this.values = new Values({ constants, variables: this.variables, shaders: this.shaders, data });
    this.#calls = new Calls(this.values, this.variables);
    this.#memory = new HostMemory(this.variables, (content) => this.values.bytes(content));
    this.#definer = new Definer(this.follower, () => true);
    this.#pools = poolsOfSecondary(lines);
    this.#usages = usagesOf(lines, read);
  }

  /** Writes the lines up to a submission, by its number. */
  upTo(lines: readonly RecordedLine[], submission: number): void {
    let count = 0;
    for (const [index, line] of lines.entries()) {
      this.follower.note(index, line);
      for (const each of this.#definer.rewrite(line)) this.#line(each);
      if (!isSubmission(line)) continue;
      this.#submit(line);
      this.follower.submit(line);
      if (count++ === submission) return;
    }
  }

  #line(line: RecordedLine): void {
    if ("write" in line) this.statements.push(...this.#memory.write(line.write, line.offset, line.content));
    else if ("command" in line && !isSubmission(line)) this.#call(line as RecordedCall);
  }

  #call(call: RecordedCall): void {
    const core = coreName(call.command), written = OWN[core];
    if (WINDOWS.test(core)) throw new Unscriptable(`${call.command} needs a window`);
    if (this.#isPrimary(call)) return this.#record(call);
    if (written) this.#add(written(this, call), call);
    else if (!NOT_WRITTEN.test(core)) this.#add([this.#calls.statement(call)], call);
  }

  /** Adds statements, and has destroyed later what they make. */
  #add(statements: readonly Node[], { command, out = {} }: RecordedCall): void {
    this.statements.push(...statements);
    if (statements.length === 0 || /^vkCreate(Buffer|Image)$/.test(command)) return;
    const suffix = /(KHR|EXT)$/.exec(command)?.[0] ?? "";
    for (const name of Object.values(out).flat() as unknown[]) {
      if (typeof name !== "string" || NOT_DESTROYED.test(name)) continue;
      const plain = `vkDestroy${name.split("#")[0].slice(2)}`,
        destroy = findCommand(plain + suffix) ? plain + suffix : plain;
      if (findCommand(destroy)) this.#living.unshift(`device.${destroy}(${this.variables.of(name)});`);
    }
  }

  #isPrimary({ args, command }: RecordedCall): boolean {
    if (!/^vk(Cmd|BeginCommandBuffer|EndCommandBuffer)/.test(command)) return false;
    return this.follower.resources.info(args.commandBuffer)?.level !== SECONDARY;
  }

  #record(call: RecordedCall): void {
    const { commandBuffer } = call.args;
    if (call.command === "vkBeginCommandBuffer") this.#primary.set(commandBuffer, []);
    else if (call.command !== "vkEndCommandBuffer") this.#primary.get(commandBuffer)?.push(call);
  }

  #submit(call: RecordedCall): void {
    if (this.#living.length > 0) {
      this.statements.push(block("owned.defer(() => {", this.#living, "});"));
      this.#living = [];
    }
    for (const name of commandBuffersIn(call)) {
      const calls = this.#primary.get(name) ?? [];
      if (calls.length > 0) {
        this.statements.push(submission(calls.map((each) => this.#calls.statement(each, "commands"))));
      }
    }
  }

  /** Calls that a script writes in its own way, by their names without a suffix. */
  static readonly own: Readonly<Record<string, (program: Program, call: RecordedCall) => Node[]>> = {
    vkCreateInstance(program, { args: { pCreateInfo: { pApplicationInfo, ppEnabledExtensionNames: names = [] } } }) {
      const version = program.#constants.version(pApplicationInfo?.apiVersion);
      if (version) program.requirements.push(`apiVersion: ${version}`);
      if (names.length > 0) program.requirements.push(`instanceExtensions: ${JSON.stringify(names)}`);
      return [];
    },
    vkCreateDevice(
      program,
      { args: { pCreateInfo: { pEnabledFeatures, ppEnabledExtensionNames: names = [], pNext } } },
    ) {
      const features = pEnabledFeatures && onlyTrue(pEnabledFeatures);
      if (names.length > 0) program.requirements.push(`extensions: ${JSON.stringify(names)}`);
      if (features && Object.keys(features).length > 0) {
        program.requirements.push(after("features: ", program.values.struct("VkPhysicalDeviceFeatures", features)));
      }
      if (pNext?.length > 0) program.requirements.push(after("pNext: ", program.values.chain(pNext)));
      return [];
    },
    vkCreateCommandPool: (program, call) =>
      program.#pools.has(call.out!.pCommandPool) ? [program.#calls.statement(call)] : [],
    vkAllocateCommandBuffers: (program, call) =>
      call.args.pAllocateInfo.level === SECONDARY ? [program.#calls.statement(call)] : [],
    vkAllocateMemory: () => [],
    vkBindBufferMemory: (program, { args }) => program.#memory.bind(args.buffer, args),
    vkBindBufferMemory2: (program, { args }) =>
      args.pBindInfos.flatMap((info: Fields) => program.#memory.bind(info.buffer, info)),
    vkBindImageMemory: (program, { args }) => program.#memory.bindImage(args.memory),
    vkBindImageMemory2: (program, { args }) =>
      args.pBindInfos.flatMap((info: Fields) => program.#memory.bindImage(info.memory)),
    vkCreateBuffer(program, { args: { pCreateInfo: info }, out }) {
      if (info.pNext?.length || info.flags) throw new Unscriptable("a buffer has flags or a pNext chain");
      const usage = program.values.of({ name: "usage", type: "VkBufferUsageFlags" }, info.usage);
      const open = `const ${program.variables.of(out!.pBuffer)} = buffer(`;
      program.#memory.made(out!.pBuffer, Number(info.size));
      return [{ open, items: [`${info.size}`, usage], close: ");" }];
    },
    vkCreateImage(program, { args: { pCreateInfo: info }, out }) {
      const usage = info.usage | (program.#usages.get(out!.pImage) ?? 0);
      const made = program.values.struct("VkImageCreateInfo", { ...info, usage });
      const open = `const ${program.variables.of(out!.pImage)} = makeImage(`;
      return [{ open, items: ["context", made], close: ");" }];
    },
  };
}

const OWN = Program.own;

/** A statement that records commands and runs them. */
export function submission(commands: readonly Node[]): Node {
  return block("submit((commands) => {", commands, "});");
}

function onlyTrue(features: Fields): Fields {
  return Object.fromEntries(Object.entries(features).filter(([, value]) => value === true || value === 1));
}

function poolsOfSecondary(lines: readonly RecordedLine[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => {
    const info = "command" in line && line.command === "vkAllocateCommandBuffers" ? line.args.pAllocateInfo : undefined;
    return info?.level === SECONDARY ? [info.commandPool] : [];
  }));
}

/** The usages that images need besides their own: those that are read, and those that are cleared at first. */
function usagesOf(lines: readonly RecordedLine[], read: ReadonlySet<string>): Map<string, number> {
  const usages = new Map([...read].map((name) => [name, TRANSFER_SRC])), follower = new Follower();
  const definer = new Definer(follower, () => true);
  for (const [index, line] of lines.entries()) {
    follower.note(index, line);
    for (const each of definer.rewrite(line)) {
      if (each === line || !("command" in each) || !each.command.startsWith("vkCmdClear")) continue;
      usages.set(each.args.image, (usages.get(each.args.image) ?? 0) | TRANSFER_DST);
    }
  }
  return usages;
}
