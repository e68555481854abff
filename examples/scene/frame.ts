import {
  frameOf,
  minus,
  multiply,
  normalize,
  orthographic,
  perspective,
  times,
  type Vector,
  viewMatrix,
} from "./vectors.ts";
import { lavaPlaces } from "./world.ts";

/** Bytes of the uniform block `Frame` in scene.glsl. */
export const FRAME_BYTES = 272;

const TARGET: Vector = [1.0, 6.1, 0];
const EYE_DISTANCE = 36;
const START_ANGLE = 0.25;
const EYE_HEIGHT = 10.4;
const HALF_HEIGHT = Math.tan((36 / 2) * Math.PI / 180);
const TO_SUN = normalize([-0.80, 0.42, 0.42]);
const TO_DISC = normalize([-0.335, 0.060, -1]);
const SHADOW_HALF = 17;
const SHADOW_FAR = 80;

/** The choices for one frame. */
export interface FrameOptions {
  /** Pixels of the picture. */
  width: number;
  /** Pixels of the picture. */
  height: number;
  /** Pixels rendered for one pixel of the picture, along each side. */
  oversampling: number;
  /** Seconds since the start; the camera circles slowly and the stones bob. */
  time: number;
}

/** The bytes of the uniform block for one frame, as scene.glsl declares it (std140). */
export function frameUniforms({ width, height, oversampling, time }: FrameOptions): Float32Array<ArrayBuffer> {
  const angle = START_ANGLE + 0.05 * time;
  const eye: Vector = [TARGET[0] + Math.sin(angle) * EYE_DISTANCE, EYE_HEIGHT, Math.cos(angle) * EYE_DISTANCE];
  const { right, up, forward } = frameOf(minus(TARGET, eye));
  const halfWidth = (HALF_HEIGHT * width) / height;
  const view = multiply(perspective(halfWidth, HALF_HEIGHT, 1, 300), viewMatrix(eye, forward));
  const sunEye: Vector = minus([TARGET[0], 6, 0], times(TO_SUN, -SHADOW_FAR / 2));
  const sun = multiply(orthographic(SHADOW_HALF, SHADOW_FAR), viewMatrix(sunEye, times(TO_SUN, -1)));
  return new Float32Array([
    ...view,
    ...sun,
    ...[...eye, time],
    ...[...times(right, halfWidth), 0],
    ...[...times(up, HALF_HEIGHT), 0],
    ...[...forward, 0],
    ...[...TO_SUN, 0],
    ...[...TO_DISC, 0],
    ...lavaPlaces().flat(),
    ...[width * oversampling, height * oversampling, width, height],
  ]);
}
