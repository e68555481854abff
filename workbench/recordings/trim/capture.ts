import { checkStream, located } from "../replay/check.ts";
import { perform } from "../replay/perform.ts";
import type { Recording } from "../replay/recording_file.ts";
import { Session } from "../replay/session.ts";
import type { Survey } from "../replay/survey.ts";
import type { RecordedCall, RecordedLine } from "../record/line.ts";
import type { Vulkan } from "../../../loader/mod.ts";
import {
  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
  VK_IMAGE_USAGE_TRANSFER_DST_BIT,
  VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
  VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT,
  VK_QUEUE_GRAPHICS_BIT,
  VK_REMAINING_ARRAY_LAYERS,
  VK_REMAINING_MIP_LEVELS,
} from "../../../loader/gen/enums_core_gen.js";
import { aspectsOf } from "../../../loader/texels/format.ts";
import { ASPECT_BITS, piecesOf } from "../compare/contents/piece.ts";
import { readPieces } from "../compare/contents/read.ts";
import type { Write } from "../state_tracker/effects.ts";
import { StateTracker } from "../state_tracker/state_tracker.ts";
import type { Saved } from "./restoring.ts";

/** The state at some line of a recording, when all work before is done. */
export interface Captured {
  /** The objects, command buffers and layouts. */
  readonly tracker: StateTracker;
  /** The recording's facts about its devices. */
  readonly survey: Survey;
  /** The contents of buffers and images, by device. */
  readonly saved: ReadonlyMap<string, readonly Saved[]>;
  /** The objects that cannot be saved, by name, and why. */
  readonly unsaved: ReadonlyMap<string, string>;
}

/** The usages with which contents can be copied out and back in. */
const BOTH_BUFFER = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
const BOTH_IMAGE = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

/** Gives buffers and images the usages with which their contents can be saved and brought back. */
export function copyable(line: RecordedLine): RecordedLine {
  if (!("command" in line)) return line;
  const { command, args: { pCreateInfo: info } } = line;
  if (command === "vkCreateBuffer") return withInfo(line, { usage: info.usage | BOTH_BUFFER });
  if (command === "vkCreateSwapchainKHR") return withInfo(line, { imageUsage: info.imageUsage | BOTH_IMAGE });
  const isImage = command === "vkCreateImage" && (info.usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT) === 0;
  return isImage ? withInfo(line, { usage: info.usage | BOTH_IMAGE }) : line;
}

function withInfo(line: RecordedCall, members: object): RecordedCall {
  return { ...line, args: { ...line.args, pCreateInfo: { ...line.args.pCreateInfo, ...members } } };
}

/**
 * Replays a recording up to a line, lets the devices finish, and saves the
 * contents of all buffers and images.
 *
 * @throws {RecordingError} if the recording cannot be replayed.
 * @throws {TypeError} if a device waits there for what the program does later.
 */
export function capture(vulkan: Vulkan, recording: Recording, end: number, timeout: number): Captured {
  const survey = checkStream(recording), session = new Session(vulkan, recording, survey, { timeout });
  return session.within(() => captureIn(session, recording, end));
}

function captureIn(session: Session, recording: Recording, end: number): Captured {
  const tracker = new StateTracker(), { survey } = session;
  for (const [index, line] of recording.lines.entries()) {
    if (index >= end) break;
    tracker.note(index, line);
    located(index, line, () => perform(session, copyable(line), index));
    if ("command" in line && /^vkQueueSubmit/.test(line.command)) tracker.submit(line);
  }
  const [held] = tracker.flow.held;
  if (held) {
    const { name, value } = held, wait = value === undefined ? name : `${name} at ${value}`;
    throw new TypeError(`a device waits there for ${wait}, which the program gives later; take another frame`);
  }
  session.settle();
  return { tracker, survey, ...savedIn(session, tracker) };
}

function savedIn(session: Session, tracker: StateTracker): Pick<Captured, "saved" | "unsaved"> {
  const saved = new Map<string, Saved[]>(), unsaved = new Map<string, string>();
  for (const [device, names] of tracker.resources.byDevice()) {
    const whole: Write[] = names.flatMap((name) => wholeOf(tracker, name));
    const { readable, unread } = piecesOf(whole, tracker), queue = queueOf(tracker, session.survey, device);
    for (const [name, reason] of unread) unsaved.set(name, reason);
    if (!queue || readable.length === 0) continue;
    const single = readable.filter(({ image }) => (image?.samples ?? 1) === 1);
    const bytes = readPieces(single, { session, tracker, queue: queue.queue });
    for (const { resource, image } of readable) {
      if ((image?.samples ?? 1) > 1) unsaved.set(resource, "an image with several samples cannot be copied");
    }
    saved.set(
      device,
      readable.map((piece) => {
        const layouts = piece.image?.layers.map((layer) =>
          tracker.layouts.of(piece.resource, piece.image!.level, layer)!
        );
        return { piece, bytes: bytes[single.indexOf(piece)], layouts: layouts ?? [] };
      }),
    );
  }
  return { saved, unsaved };
}

/** Returns all of a buffer that has memory, or of an image. */
export function wholeOf({ resources, bindings }: StateTracker, name: string): Write[] {
  if (name.startsWith("VkBuffer#")) return bindings.of(name) ? [{ buffer: name }] : [];
  const aspectMask = aspectsOf(resources.image(name)!.format).reduce((bits, each) => bits | ASPECT_BITS[each], 0);
  const [levelCount, layerCount] = [VK_REMAINING_MIP_LEVELS, VK_REMAINING_ARRAY_LAYERS];
  return [resources.part(name, { aspectMask, levelCount, layerCount })];
}

/** Returns a queue of a device that can copy everything, depth and stencil too, with its family; `undefined` if the program got none. */
export function queueOf({ resources }: StateTracker, survey: Survey, device: string) {
  const { families } = survey.device(device).needs.facts;
  const all = resources.queuesOf(device).map((queue) => {
    const { args } = resources.call(queue)!;
    return { queue, family: (args.queueFamilyIndex ?? args.pQueueInfo?.queueFamilyIndex ?? 0) as number };
  });
  const graphics = all.find(({ family }) => ((families?.[family]?.queueFlags ?? 0) & VK_QUEUE_GRAPHICS_BIT) !== 0);
  return graphics ?? all[0];
}
