import type { Fields, RecordedCall, RecordedLine } from "../record/line.ts";
import type { RecordedStream } from "../replay/stream.ts";
import { commandBuffersIn, coreName } from "../record/commands.ts";
import { Definer } from "../compare/contents/define.ts";
import {
  VK_COMMAND_BUFFER_LEVEL_SECONDARY,
  VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
  VK_IMAGE_TYPE_1D,
  VK_IMAGE_TYPE_2D,
  VK_IMAGE_USAGE_SAMPLED_BIT,
  VK_IMAGE_USAGE_TRANSFER_DST_BIT,
  VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
  VK_SAMPLE_COUNT_1_BIT,
} from "../../../loader/gen/enums_core_gen.js";
import { imageInfo } from "../replay/swapchain.ts";
import { madeBy, usedBy } from "../state_tracker/names.ts";
import { barriersOf } from "../state_tracker/effects.ts";
import { StateTracker } from "../state_tracker/state_tracker.ts";
import { isSubmission } from "../compare/driver_process/cut.ts";
import { barrierLines, type BarrierWords, isBarrier, wideDependencies, withoutTwins, zeroLine } from "./barriers.ts";
import { Condensed } from "./condensed_script.ts";
import { Calls } from "./calls.ts";
import type { Constants } from "./constants.ts";
import { HostMemory } from "./host_memory.ts";
import { after, before, block, braces, type Node, Unscriptable } from "./node.ts";
import { Shaders } from "./shaders.ts";
import { Values } from "./values.ts";
import { Variables } from "./variables.ts";

/** Calls of which the script's context takes care, or that answer what nobody asks here. */
const NOT_WRITTEN =
  /^vk(Enumerate|Get|Map|Unmap|Flush|Invalidate|Wait|Signal|Destroy|Free|Reset(Fences|CommandPool|CommandBuffer)|TrimCommandPool|CreateFence|CreateSemaphore|QueueWaitIdle|DeviceWaitIdle)/;
/** Calls of windows. A script has no window: the images of a swapchain are images like any other. */
const WINDOWS = /Swapchain|Present|Surface|AcquireNextImage|ReleaseSwapchainImages/;
/** Extensions of windows. */
const WINDOW_EXTENSIONS = /surface|swapchain|present|incremental_present|display_timing|full_screen/;
const PASS_BEGINS = /^vkCmdBeginRender/, PASS_ENDS = /^vkCmdEndRender/;
/** The members of an image in a script that need not be stated. */
const PLAIN_IMAGE: Fields = {
  imageType: VK_IMAGE_TYPE_2D,
  mipLevels: 1,
  arrayLayers: 1,
  samples: VK_SAMPLE_COUNT_1_BIT,
};

/** A command, and the image barriers of it behind which the image becomes zero. */
interface Step {
  readonly call: RecordedCall;
  readonly cleared: readonly Fields[];
  /** Whether the command is inside a pass. */
  readonly isInPass: boolean;
}

/** A recording as the statements of a test. */
export class Program {
  /** The statements so far. */
  readonly statements: Node[] = [];
  /** The requirements on the device, as the options of a test. */
  readonly requirements: Node[] = [];
  readonly variables: Variables;
  readonly values: Values;
  readonly shaders: Shaders = new Shaders();
  /** Functions at the end of the script, before those of shaders. */
  readonly functions: Set<string> = new Set();
  readonly tracker: StateTracker = new StateTracker();
  readonly #constants: Constants;
  readonly #calls: Calls;
  readonly #definer: Definer;
  readonly #memory: HostMemory;
  /** Commands by primary command buffer. */
  readonly #primary = new Map<string, Step[]>();
  readonly #pools: ReadonlySet<string>;
  readonly #usages: ReadonlyMap<string, number>;
  /** The names that calls mention. */
  readonly #used: ReadonlySet<string>;
  /** Command buffers inside a pass. */
  readonly #inPass = new Set<string>();
  /** Whether barriers may wait for more than the recorded ones. */
  readonly #isWide: boolean;
  readonly #words: BarrierWords;
  /** Makes objects where they are needed first; `undefined` for objects where the recording makes them. */
  readonly #condensed: Condensed | undefined;

  /** Reads no line yet. Images that are read get the usage for that. */
  constructor(
    { lines, data }: RecordedStream,
    constants: Constants,
    read: ReadonlySet<string>,
    { isWide, isCondensed }: { readonly isWide: boolean; readonly isCondensed: boolean },
  ) {
    this.#isWide = isWide;
    this.variables = new Variables(lines);
    this.#constants = constants;
    this.values = new Values({ constants, variables: this.variables, shaders: this.shaders, data });
    this.#calls = new Calls(this.values, this.variables);
    this.#memory = new HostMemory(this.variables, (content) => this.values.bytes(content), this.tracker.bindings);
    this.#definer = new Definer(this.tracker, () => true);
    this.#words = { values: this.values, variables: this.variables, resources: this.tracker.resources };
    const plain = (call: RecordedCall) => this.#asRecorded({ call, cleared: [], isInPass: false });
    if (isCondensed) this.#condensed = new Condensed({ ...this.#words, isWide, plain });
    this.#pools = poolsOfSecondary(lines);
    this.#used = new Set(lines.flatMap((line) => [...usedBy(line)]));
    this.#usages = usagesOf(lines, read);
  }

  /** Writes the lines up to a submission, by its number. */
  upTo(lines: readonly RecordedLine[], submission: number): void {
    let count = 0;
    for (const [index, line] of lines.entries()) {
      this.tracker.note(index, line);
      const [changed, ...more] = this.#definer.rewrite(line);
      this.#line(changed, clearedBy(line, more));
      if (!isSubmission(line)) continue;
      this.#submit(line);
      this.tracker.submit(line);
      if (count++ === submission) return;
    }
  }

  #line(line: RecordedLine, cleared: readonly Fields[]): void {
    if ("write" in line) this.statements.push(...this.#memory.write(line.write, line.offset, line.content));
    else if ("command" in line && !isSubmission(line)) {
      const call: RecordedCall = line;
      this.#notePass(call);
      this.#call({ call, cleared, isInPass: this.#inPass.has(call.args.commandBuffer) });
    }
  }

  #notePass({ command, args: { commandBuffer, pBeginInfo } }: RecordedCall): void {
    const isBegun = command === "vkBeginCommandBuffer";
    if (isBegun || PASS_ENDS.test(command)) this.#inPass.delete(commandBuffer);
    if (PASS_BEGINS.test(command) || isBegun && pBeginInfo?.flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT) {
      this.#inPass.add(commandBuffer);
    }
  }

  #call(step: Step): void {
    const { call } = step, core = coreName(call.command), written = OWN[core];
    if (this.#isPrimary(call)) return this.#record(step);
    if (written) this.statements.push(...written(this, call));
    else if (!NOT_WRITTEN.test(core) && !WINDOWS.test(core)) {
      this.statements.push(...this.#condensed?.take(call) ?? [...this.#needs([step]), ...this.#asRecorded(step)]);
    }
  }

  /** The statements that make what steps need. */
  #needs(steps: readonly Step[]): Node[] {
    return steps.flatMap(({ call }) => this.#condensed?.need(call) ?? []);
  }

  #asRecorded(step: Step): Node[] {
    return this.#commandLines(this.#widened(step, coreName(step.call.command)));
  }

  /** A render pass whose dependencies wait for everything, where barriers do. Other calls stay as they are. */
  #widened(step: Step, core: string): Step {
    const { call } = step, { pCreateInfo: info } = call.args;
    if (!this.#isWide || !/^vkCreateRenderPass2?$/.test(core) || !info.pDependencies) return step;
    const pCreateInfo = { ...info, pDependencies: wideDependencies(info.pDependencies) };
    return { ...step, call: { ...call, args: { ...call.args, pCreateInfo } } };
  }

  /** Writes a command. A barrier inside a pass stays as it is. */
  #commandLines({ call, cleared, isInPass }: Step, self?: string): Node[] {
    const own = self ?? this.variables.of(call.args.commandBuffer ?? "");
    const wide = this.#isWide && !isInPass && isBarrier(call)
      ? barrierLines(call, cleared, own, this.#words)
      : undefined;
    const beginning = this.#condensed?.beginning(call);
    const written = beginning === undefined ? undefined : { pRenderPassBegin: beginning };
    return wide ??
      [this.#calls.statement(call, self, written), ...cleared.map((each) => zeroLine(each, own, this.#words))];
  }

  #image(name: string, info: Fields): Node {
    const usage = info.usage | (this.#usages.get(name) ?? 0), open = `const ${this.variables.of(name)} = bareImage(`;
    return { open, items: [braces(imageMembers({ ...info, usage }, this.values))], close: ");" };
  }

  #isPrimary({ args, command }: RecordedCall): boolean {
    if (!/^vk(Cmd|BeginCommandBuffer|EndCommandBuffer)/.test(command)) return false;
    return this.tracker.resources.info(args.commandBuffer)?.level !== VK_COMMAND_BUFFER_LEVEL_SECONDARY;
  }

  #record(step: Step): void {
    const { command, args: { commandBuffer } } = step.call;
    if (command === "vkBeginCommandBuffer") this.#primary.set(commandBuffer, []);
    else if (command !== "vkEndCommandBuffer") this.#primary.get(commandBuffer)?.push(step);
  }

  #submit(call: RecordedCall): void {
    for (const name of commandBuffersIn(call)) {
      const steps = this.#primary.get(name) ?? [];
      this.statements.push(...this.#needs(steps));
      const lines = steps.flatMap((step) => this.#commandLines(step, "commands"));
      if (lines.length > 0) this.statements.push(submission(withoutTwins(lines)));
    }
  }

  /** Calls that a script writes in its own way, by their names without a suffix. */
  static readonly own: Readonly<Record<string, (program: Program, call: RecordedCall) => Node[]>> = {
    vkCreateInstance(program, { args: { pCreateInfo: { pApplicationInfo, ppEnabledExtensionNames: all = [] } } }) {
      const names = withoutWindows(all);
      const version = program.#constants.version(pApplicationInfo?.apiVersion);
      if (version) program.requirements.push(`apiVersion: ${version}`);
      if (names.length > 0) program.requirements.push(`instanceExtensions: ${JSON.stringify(names)}`);
      return [];
    },
    vkCreateDevice(
      program,
      { args: { pCreateInfo: { pEnabledFeatures, ppEnabledExtensionNames: all = [], pNext } } },
    ) {
      const names = withoutWindows(all);
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
      call.args.pAllocateInfo.level === VK_COMMAND_BUFFER_LEVEL_SECONDARY ? [program.#calls.statement(call)] : [],
    vkAllocateMemory: () => [],
    vkBindBufferMemory: (program, { args }) => program.#memory.bound(args),
    vkBindBufferMemory2: (program, { args }) => args.pBindInfos.flatMap((info: Fields) => program.#memory.bound(info)),
    vkBindImageMemory: (program, { args }) => program.#memory.bound(args),
    vkBindImageMemory2: (program, { args }) => args.pBindInfos.flatMap((info: Fields) => program.#memory.bound(info)),
    vkCreateBuffer(program, { args: { pCreateInfo: info }, out }) {
      if (info.pNext?.length || info.flags) throw new Unscriptable("a buffer has flags or a pNext chain");
      const usage = program.values.of({ name: "usage", type: "VkBufferUsageFlags" }, info.usage);
      const open = `const ${program.variables.of(out!.pBuffer)} = buffer(`;
      return [{ open, items: [`${info.size}`, usage], close: ");", fills: true }];
    },
    vkCreateImage: (program, { args: { pCreateInfo: info }, out }) => [program.#image(out!.pImage, info)],
    vkGetSwapchainImages(program, { args: { swapchain }, out }) {
      const info = imageInfo(program.tracker.resources.info(swapchain)!) as Fields;
      const used: string[] = (out!.pSwapchainImages ?? []).filter((name: string) => program.#used.has(name));
      return used.map((name) => program.#image(name, info));
    },
  };
}

const OWN = Program.own;

/** A statement that records commands and runs them. */
export function submission(commands: readonly Node[]): Node {
  const [only] = commands, open = "submit((commands) => ";
  if (commands.length > 1) return block(`${open}{`, commands, "});");
  const alone = typeof only === "string" ? only.slice(0, -1) : { ...only, close: only.close.slice(0, -1) };
  return before(after(open, alone), ");");
}

/** Writes how an image is made. What most images are, an image of a script is without being told so. */
function imageMembers(info: Fields, values: Values): Node[] {
  const { width, height, depth } = info.extent;
  const extent = { width, ...height > 1 && { height }, ...depth > 1 && { depth } };
  const told = Object.entries({ ...info, extent }).filter(([name, value]) => PLAIN_IMAGE[name] !== value);
  const isLine = info.imageType === VK_IMAGE_TYPE_1D;
  return [
    ...isLine ? [after("imageType: ", values.of({ name: "imageType", type: "VkImageType" }, info.imageType))] : [],
    ...values.members("VkImageCreateInfo", Object.fromEntries(told)),
  ];
}

/** The image barriers of a command behind which some more commands clear the image. */
function clearedBy(line: RecordedLine, more: readonly RecordedLine[]): Fields[] {
  if (!("command" in line) || more.length === 0) return [];
  const clears = more.flatMap((each) => "command" in each && each.command.startsWith("vkCmdClear") ? [each.args] : []);
  return barriersOf(line.args).filter(({ image, subresourceRange }) =>
    clears.some((clear) => clear.image === image && clear.pRanges[0] === subresourceRange)
  );
}

function withoutWindows(names: readonly string[]): string[] {
  return names.filter((name) => !WINDOW_EXTENSIONS.test(name));
}

function onlyTrue(features: Fields): Fields {
  return Object.fromEntries(Object.entries(features).filter(([, value]) => value === true || value === 1));
}

function poolsOfSecondary(lines: readonly RecordedLine[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => {
    const info = "command" in line && line.command === "vkAllocateCommandBuffers" ? line.args.pAllocateInfo : undefined;
    return info?.level === VK_COMMAND_BUFFER_LEVEL_SECONDARY ? [info.commandPool] : [];
  }));
}

/** The usages that images need besides their own: those that are read, and those that are cleared at first. */
function usagesOf(lines: readonly RecordedLine[], read: ReadonlySet<string>): Map<string, number> {
  const usages = new Map<string, number>(), tracker = new StateTracker();
  const definer = new Definer(tracker, () => true);
  for (const [index, line] of lines.entries()) {
    tracker.note(index, line);
    for (const name of "command" in line ? madeBy(line) : []) {
      const image = read.has(name) ? tracker.resources.image(name) : undefined;
      if (image) usages.set(name, image.samples > 1 ? VK_IMAGE_USAGE_SAMPLED_BIT : VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
    }
    for (const each of definer.rewrite(line)) {
      if (each === line || !("command" in each) || !each.command.startsWith("vkCmdClear")) continue;
      usages.set(each.args.image, (usages.get(each.args.image) ?? 0) | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
    }
  }
  return usages;
}
