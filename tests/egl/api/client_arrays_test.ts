import { assertEquals, assertNotEquals } from "@std/assert";
import { isInBlock, openBlocks } from "../../../ffi/block.ts";
import { createThunk } from "../../../ffi/thunk/thunk.ts";
import * as g from "../../../egl/gl.ts";
import { needs } from "../../support/require.ts";
import { openContext } from "../context.ts";
import { drivers } from "../drivers.ts";

for (const driver of drivers) {
  const part = needs(driver.part, driver.found || undefined);

  Deno.test(`a client array is kept where a command for another vertex array fails (${driver.name})`, part, () => {
    using opened = openContext(driver, [3, 0]);
    const { gl } = opened, first = Float32Array.of(1, 2, 3, 4), size = first.byteLength;
    const address = () => gl.glGetVertexAttribPointerv(0, g.GL_VERTEX_ATTRIB_ARRAY_POINTER);
    const set = (array: Float32Array, components = 2) =>
      gl.glVertexAttribPointer(0, components, g.GL_FLOAT, false, 0, array);
    const kept = () => {
      const at = address(), floats = new Deno.UnsafePointerView(Deno.UnsafePointer.create(at)!);
      return isInBlock(at, size) && floats.getFloat32(8);
    };
    set(first);
    set(new Float32Array(6000), 77);
    assertEquals([gl.glGetError(), kept()], [g.GL_INVALID_VALUE, 3]);
    const [other] = gl.glGenVertexArrays(1);
    gl.glBindVertexArray(other);
    for (const array of [new Float32Array(6000), Float32Array.of(9, 9, 9, 9)]) {
      set(array);
      assertEquals(gl.glGetError(), g.GL_INVALID_OPERATION);
    }
    gl.glBindVertexArray(0);
    assertEquals(kept(), 3);
    set(Float32Array.of(4, 5, 6));
    assertEquals(kept(), 6);
  });

  Deno.test(`client arrays that are set again and again need no more memory (${driver.name})`, part, () => {
    for (const version of [[1, 1], [2, 0]]) {
      using opened = openContext(driver, version);
      const { gl } = opened, array = new Float32Array(4), counts: number[] = [];
      for (let round = 0; round < 4; round++) {
        for (let index = 0; index < 3; index++) {
          if (version[0] === 2) gl.glVertexAttribPointer(index, 2, g.GL_FLOAT, false, 0, array);
          else gl.glVertexPointer(2, g.GL_FLOAT, 0, array);
        }
        counts.push(openBlocks());
      }
      assertEquals(counts.slice(2), [counts[1], counts[1]]);
    }
  });

  Deno.test(
    `the address of a debug callback is nobody else's while the context lives (${driver.name})`,
    part,
    () => {
      using opened = openContext(driver, [3, 1]);
      const { gl } = opened, CALLBACK = g.GL_DEBUG_CALLBACK_FUNCTION_KHR, told: string[] = [];
      const insert = (text: string) =>
        gl.glDebugMessageInsertKHR(
          g.GL_DEBUG_SOURCE_APPLICATION,
          g.GL_DEBUG_TYPE_MARKER,
          1,
          g.GL_DEBUG_SEVERITY_HIGH,
          text,
        );
      gl.glEnable(g.GL_DEBUG_OUTPUT_KHR);
      gl.glEnable(g.GL_DEBUG_OUTPUT_SYNCHRONOUS_KHR);
      gl.glDebugMessageCallbackKHR(({ message }) => told.push(`first ${message}`));
      const address = gl.glGetPointervKHR(CALLBACK);
      insert("a");
      gl.glDebugMessageCallbackKHR(({ message }) => told.push(`second ${message}`));
      insert("b");
      gl.glDebugMessageCallbackKHR(null);
      insert("c");
      const others = [1, 2, 3].map(() => createThunk("v:", () => {}));
      for (const other of others) assertNotEquals(other.address, address);
      for (const other of others) other.free();
      assertEquals(told, ["first a", "second b"]);
    },
  );
}
