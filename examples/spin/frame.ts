import { frameOf, minus, multiply, perspective, type Vector, viewMatrix } from "../scene/vectors.ts";

/** Bytes of the push constants of spin.glsl: as many as every Vulkan driver has. */
export const FRAME_BYTES = 128;

/** Frames in a second of the scene's own time, and in one turn of the island. */
const FRAMES_A_SECOND = 60, FRAMES_A_TURN = 900;
const EYE: Vector = [0, 4.3, 14.2], TARGET: Vector = [0, 2.1, 0];
const HALF_HEIGHT = Math.tan((36 / 2) * Math.PI / 180);
const FORWARD = frameOf(minus(TARGET, EYE)).forward;

/** The target that parts of the picture depend on. */
export interface Canvas {
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
  /** Whether the shader has to encode as sRGB; false where the format does, or is for linear light. */
  readonly encodes: boolean;
  /** One step of the format's channels, 0 to 1, over which the shader dithers. */
  readonly step: number;
  /** Whether the frame's number is written into the upper left corner, 16 squares of 2 × 2 pixels, lowest bit first. */
  readonly numbered: boolean;
}

/** Writes the push constants of frame `number`, of the world (`up` 1) or its mirror image in the sea (-1). */
export function writeFrame(into: Float32Array, number: number, canvas: Canvas, up: 1 | -1): void {
  const halfWidth = HALF_HEIGHT * canvas.width / canvas.height, turn = 2 * Math.PI * number / FRAMES_A_TURN;
  into.set(multiply(perspective(halfWidth, HALF_HEIGHT, 1, 100), viewMatrix(EYE, FORWARD)));
  into.set([...EYE, number / FRAMES_A_SECOND], 16);
  into.set([...FORWARD, HALF_HEIGHT], 20);
  into.set([Math.cos(turn), Math.sin(turn), halfWidth, up], 24);
  into.set([canvas.encodes ? 1 : 0, canvas.step, canvas.numbered ? number : -1, 0], 28);
}
