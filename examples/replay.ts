/**
 * Replays on one driver what a program did on another.
 *
 * ```sh
 * deno run --allow-ffi --allow-read --allow-write=out '--allow-env=HOME,XDG_*,VK_*' examples/replay.ts
 * ```
 *
 * A triangle is drawn by the first driver that is found; the calls are in
 * out/replay.jsonl. The last driver that is found draws the recorded calls
 * again, and a line says how many bytes of the picture differ.
 *
 * @module
 */
import { loadVulkan, openGpu, requireDriver } from "@pumice/gfx";
import { apiRecording, readRecording, replayRecording } from "@pumice/gfx/layers";
import { translate } from "naga-wasm";

const FILE = "out/replay.jsonl", SIZE = { width: 320, height: 240 };
const source = `
  @vertex fn corner(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    let angle = f32(index) * 2.0944;
    return vec4f(0.8 * sin(angle), 0.8 * cos(angle), 0, 1);
  }
  @fragment fn shade(@builtin(position) at: vec4f) -> @location(0) vec4f { return vec4f(at.xy / 320, 0.2, 1); }`;
const shaders = translate({ from: "wgsl", to: "spirv", source });

const drivers = driversOfThisMachine();
Deno.mkdirSync("out", { recursive: true });
{
  using recording = apiRecording({ path: FILE });
  using gpu = openGpu({ driver: drivers[0], layers: [recording.layer] });
  const target = gpu.image(SIZE);
  gpu.draw({ target, vertex: shaders, fragment: shaders });
  gpu.pixels(target);
  console.log(`recorded on ${gpu.properties.deviceName}`);
}
console.log(`${FILE}: ${readRecording(FILE).lines.length} lines`);

const { deviceName, calls } = replayRecording({ driver: drivers.at(-1) }, FILE, {
  onRead({ buffer, recorded, replayed }) {
    const differing = recorded.filter((byte, index) => byte !== replayed![index]).length;
    console.log(`${buffer}: ${differing} of ${recorded.length} bytes differ`);
  },
});
console.log(`replayed ${calls} calls on ${deviceName}`);

function driversOfThisMachine(): string[] {
  using vulkan = requireDriver(loadVulkan());
  return vulkan.explain().filter(({ subject, taken }) => subject === "driver" && taken).map(({ path }) => path);
}
