import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { createRenderer } from "../../../../examples/draw/renderer.ts";
import { developComp } from "../../../../examples/scene/shaders_gen.ts";
import { sha256 } from "../../../../loader/layers/shipped/native/sha256.ts";
import { spirvDump, type SpirvDumpOptions } from "../../../../workbench/layers.ts";
import { loadVulkan } from "../../../../loader/mod.ts";
import { lavapipePath, shaderTools } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { withFolder } from "../../../support/temporary.ts";
import { type Scripted, withScripted } from "./scripted.ts";

/** A shader for the place of the demo's last one: every pixel is 1, 2, 3, 4. */
const FLAT = `#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 7, std430) writeonly buffer Picture { uint pixels[]; } picture;
void main() { picture.pixels[gl_GlobalInvocationID.y * 32 + gl_GlobalInvocationID.x] = 0x04030201; }
`;
const SHADER_MODULE = 16; // VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO
/** A header of SPIR-V and some words. */
const CODE = Uint32Array.of(0x0723_0203, 0x0001_0000, 0, 1, 0), OTHER = Uint32Array.of(...CODE, 9, 8, 7);

function hashOf(words: Uint32Array): string {
  return createHash("sha256").update(new Uint8Array(words.buffer, words.byteOffset, words.byteLength)).digest("hex");
}

function fileOf(path: string): Uint32Array {
  return new Uint32Array(Deno.readFileSync(path).buffer);
}

/** The SPIR-V that the driver below the layer got, and the layer's report. */
function dumped(use: (scripted: Scripted) => void, options: Omit<SpirvDumpOptions, "folder"> = {}) {
  const got: Uint32Array[] = [];
  const wordsAt = (address: bigint, size: number) =>
    new Uint32Array(Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(address)!, size).slice(0));
  const longAt = (address: bigint) => new BigUint64Array(wordsAt(address, 8).buffer)[0];
  return withFolder((folder) => {
    using dump = spirvDump({ folder: `${folder}/a/b`, ...options });
    withScripted([dump.layer], use, {
      physicalDevices: [{ extensions: ["VK_EXT_shader_object"] }],
      commands: {
        vkCreateShaderModule(next, ...args) {
          got.push(wordsAt(longAt(args[1] + 32n), Number(longAt(args[1] + 24n))));
          return next(...args);
        },
        vkCreateComputePipelines(next, ...args) {
          const chained = longAt(args[3] + 24n + 8n);
          got.push(wordsAt(longAt(chained + 32n), Number(longAt(chained + 24n))));
          return next(...args);
        },
        vkCreateShadersEXT(next, ...args) {
          got.push(wordsAt(longAt(args[2] + 40n), Number(longAt(args[2] + 32n))));
          return next(...args);
        },
      },
    });
    assertEquals(dump.error, undefined);
    return { got, saved: dump.shaders.map((shader) => ({ ...shader, file: fileOf(shader.path) })) };
  });
}

Deno.test("spirvDump() saves each shader once, under its hash, and lets it through", () => {
  const { got, saved } = dumped(({ device }) => {
    for (const pCode of [CODE, OTHER, CODE]) device.vkDestroyShaderModule(device.vkCreateShaderModule({ pCode }));
  });
  assertEquals(got, [CODE, OTHER, CODE]);
  assertEquals(saved.map(({ hash, words, command }) => [hash, words, command]), [
    [hashOf(CODE), 5, "vkCreateShaderModule"],
    [hashOf(OTHER), 8, "vkCreateShaderModule"],
  ]);
  assertEquals(saved.map(({ file }) => file), [CODE, OTHER]);
  assertMatch(saved[0].path, new RegExp(`/a/b/${saved[0].hash}\\.spv$`));
});

Deno.test("spirvDump() finds shaders that come with a pipeline or as shader objects", () => {
  const { saved } = dumped(({ device }) => {
    const pNext = [{ sType: SHADER_MODULE, pCode: CODE }] as const;
    device.vkCreateComputePipelines(null, [{ stage: { stage: 32, pName: "main", pNext }, layout: 1n as never }]);
    device.vkCreateShadersEXT([
      { stage: 32, codeType: 1, pCode: OTHER, pName: "main" },
      { stage: 32, codeType: 0, pCode: new Uint8Array(16), pName: "main" }, // a driver's own binary
    ]);
  });
  assertEquals(saved.map(({ hash, command }) => [hash, command]), [
    [hashOf(CODE), "vkCreateComputePipelines"],
    [hashOf(OTHER), "vkCreateShadersEXT"],
  ]);
});

Deno.test("spirvDump() gives the driver other words where it is told to", () => {
  const asked: [string, number][] = [];
  const { got, saved } = dumped(({ device }) => {
    device.vkCreateShaderModule({ pCode: OTHER });
    device.vkCreateShaderModule({ pCode: CODE });
    const pNext = [{ sType: SHADER_MODULE, pCode: CODE }] as const;
    device.vkCreateComputePipelines(null, [{ stage: { stage: 32, pName: "main", pNext }, layout: 1n as never }]);
    device.vkCreateShadersEXT([{ stage: 32, codeType: 1, pCode: CODE, pName: "main" }]);
  }, {
    replace(hash, words) {
      asked.push([hash, words.length]);
      return hash === hashOf(CODE) ? Uint32Array.of(...words, 77) : undefined;
    },
  });
  const replacement = Uint32Array.of(...CODE, 77);
  assertEquals(got, [OTHER, replacement, replacement, replacement]);
  assertEquals(asked, [[hashOf(OTHER), 8], ...Array(3).fill([hashOf(CODE), 5])]);
  assertEquals(saved.map(({ hash, replacedBy }) => [hash, replacedBy]), [
    [hashOf(OTHER), undefined],
    [hashOf(CODE), hashOf(replacement)],
    [hashOf(replacement), undefined],
  ]);
});

Deno.test("spirvDump() saves shaders of any size whole", () => {
  const large = new Uint32Array(700_000).map((_, index) => index); // more than the codec copies
  const { got, saved } = dumped(({ device }) => void device.vkCreateShaderModule({ pCode: large }));
  assertEquals([got, saved[0].file], [[large], large]);
});

Deno.test("spirvDump() lets the program go on when a file cannot be written", () => {
  const folder = Deno.makeTempDirSync();
  using dump = spirvDump({ folder });
  Deno.removeSync(folder);
  withScripted(
    [dump.layer],
    ({ device }) => device.vkDestroyShaderModule(device.vkCreateShaderModule({ pCode: CODE })),
  );
  assertMatch((dump.error as Error).message, /Cannot write/);
  assertThrows(() => spirvDump({ folder: "/dev/null/x" }), Error);
});

Deno.test("spirvDump() dumps the demo's shaders, text beside them, and changes the picture by another shader", {
  ignore: needs("Mesa lavapipe", lavapipePath()).ignore || needs("glslang and SPIRV-Tools", shaderTools()).ignore,
}, () => {
  const draw = (replace?: SpirvDumpOptions["replace"]) =>
    withFolder((folder) => {
      const dump = spirvDump({ folder, disassemble: true, replace });
      using vulkan = loadVulkan({ driver: lavapipePath()!, layers: [dump.layer] });
      using instance = vulkan.vkCreateInstance({});
      const [gpu] = instance.vkEnumeratePhysicalDevices();
      using renderer = createRenderer(gpu, { width: 32, height: 32 }, () => {});
      const pixels = renderer.draw(0);
      dump.close();
      const texts = [...Deno.readDirSync(folder)].filter(({ name }) => name.endsWith(".spvasm"));
      assertEquals(texts.length, dump.shaders.length);
      assertMatch(Deno.readTextFileSync(dump.shaders[0].path.replace(/spv$/, "spvasm")), /OpEntryPoint/);
      return { pixels, count: dump.shaders.length };
    });
  const flat = withFolder((folder) => {
    Deno.writeTextFileSync(`${folder}/flat.comp`, FLAT);
    const args = ["-V", "flat.comp", "-o", "flat.spv"];
    new Deno.Command(shaderTools()!.compiler, { args, cwd: folder, stdout: "null" }).outputSync();
    return fileOf(`${folder}/flat.spv`);
  });
  const develop = hashOf(developComp());
  const plain = draw(), changed = draw((hash) => hash === develop ? flat : undefined);
  assertEquals([plain.count, changed.count], [8, 9]);
  assert(plain.pixels.some((value, index) => value !== index % 4 + 1));
  assert(changed.pixels.every((value, index) => value === index % 4 + 1));
});

Deno.test("sha256() is what everybody else's is", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
    assertEquals(sha256(bytes), createHash("sha256").update(bytes).digest("hex"));
  }));
});
