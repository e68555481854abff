import { assert, assertEquals } from "@std/assert";
import * as scene from "../../../examples/scene/scene.ts";

/** FNV-1a over the bytes: changes when anything does. */
function fingerprint(data: ArrayBufferView<ArrayBuffer>): string {
  let hash = 0x811c9dc5;
  for (const byte of new Uint8Array(data.buffer)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16);
}

Deno.test("columnMesh() makes a closed prism: every edge is shared by two triangles", () => {
  const { vertices, indices } = scene.columnMesh();
  assertEquals([vertices.length / 8, indices.length / 3], [84, 44]);
  const corner = (index: number) =>
    [...vertices.subarray(index * 8, index * 8 + 4)].map((value) => value.toFixed(3)).join();
  const edges = new Map<string, number>();
  for (let i = 0; i < indices.length; i += 3) {
    for (let side = 0; side < 3; side++) {
      const ends = [corner(indices[i + side]), corner(indices[i + (side + 1) % 3])].sort().join(" ");
      edges.set(ends, (edges.get(ends) ?? 0) + 1);
    }
  }
  assert([...edges.values()].every((count) => count === 2));
});

Deno.test("columnMesh() gives every vertex a unit normal that points outwards", () => {
  const { vertices } = scene.columnMesh();
  for (let at = 0; at < vertices.length; at += 8) {
    const [x, y, z, , nx, ny, nz] = vertices.subarray(at, at + 8);
    assert(Math.abs(Math.hypot(nx, ny, nz) - 1) < 1e-6);
    assert(x * nx + (y - 0.5) * ny + z * nz > 0);
  }
});

Deno.test("worldInstances() are the same in every run and lie above the sea", () => {
  const instances = scene.worldInstances();
  assertEquals(fingerprint(instances), fingerprint(scene.worldInstances()));
  assertEquals(instances.length % scene.FLOATS_PER_COLUMN, 0);
  for (let at = 0; at < instances.length; at += scene.FLOATS_PER_COLUMN) {
    const [, y, , radius, height] = instances.subarray(at, at + scene.FLOATS_PER_COLUMN);
    assert(radius > 0 && height > 0 && y > -0.3, `instance ${at / scene.FLOATS_PER_COLUMN}`);
  }
});

Deno.test("frameUniforms() fills the block that scene.glsl declares", () => {
  const frame = scene.frameUniforms({ width: 1280, height: 720, oversampling: 2, time: 0 });
  assertEquals(frame.byteLength, scene.FRAME_BYTES);
  assertEquals([...frame.subarray(64)], [2560, 1440, 1280, 720]);
  assert(frame.every(Number.isFinite));
});

Deno.test("frameUniforms() puts the place looked at into the middle of the picture", () => {
  const frame = scene.frameUniforms({ width: 1280, height: 720, oversampling: 2, time: 3 });
  const [x, y, z] = [1, 6.1, 0];
  const clip = [0, 1, 2, 3].map((row) => frame[row] * x + frame[row + 4] * y + frame[row + 8] * z + frame[row + 12]);
  assert(Math.abs(clip[0] / clip[3]) < 1e-5 && Math.abs(clip[1] / clip[3]) < 1e-5);
  assert(clip[2] / clip[3] > 0 && clip[2] / clip[3] < 1);
});

Deno.test("the shaders are SPIR-V 1.0", () => {
  const { rockComp, shadowVert, columnVert, columnFrag, backdropVert, backdropFrag, glowComp, developComp } = scene;
  const shaders = [rockComp, shadowVert, columnVert, columnFrag, backdropVert, backdropFrag, glowComp, developComp];
  for (const shader of shaders) assertEquals([...shader().subarray(0, 2)], [0x07230203, 0x00010000], shader.name);
});
