import { assertEquals } from "@std/assert";
import { planOf } from "../../../egl/command/plan.ts";
import { parseCommand, signatureOf } from "../../../egl/command/spec.ts";
import { eglCommands, glCommands } from "../../../egl/dispatch/names.ts";

const roles = (name: string) => {
  const command = glCommands.find(name) ?? eglCommands.find(name)!;
  return planOf(command).map((step) => `${step.name}:${step.role}`).join(" ");
};

Deno.test("parseCommand() tells values, pointers and lengths apart", () => {
  const { result, params } = parseCommand("glX *Y a:e list:&f[n*4] out:**v[1]");
  assertEquals(result, "*Y");
  assertEquals(params.map(({ code, stars, isConst, len }) => [code, stars, isConst, len]), [
    ["e", 0, false, ""],
    ["f", 1, true, "n*4"],
    ["v", 2, false, "1"],
  ]);
});

Deno.test("signatureOf() has words for enumerations and bits and 64 bits for pointers and sizes", () => {
  assertEquals(signatureOf(glCommands.find("glBufferData")!), "v:wqqw");
  assertEquals(signatureOf(glCommands.find("glMapBufferRange")!), "q:wqqw");
  assertEquals(signatureOf(eglCommands.find("eglChooseConfig")!), "w:qqqsq");
});

Deno.test("planOf() leaves out counts that arrays and strings know", () => {
  assertEquals(roles("glDeleteTextures"), "n:count textures:array");
  assertEquals(roles("glUniform4fv"), "location:value count:count value:array");
  assertEquals(roles("glShaderSource"), "shader:value count:count string:texts length:lengths");
  assertEquals(roles("glObjectLabel"), "identifier:value name:value length:count label:text");
});

Deno.test("planOf() keeps sizes of memory that may be null or a part", () => {
  assertEquals(roles("glBufferData"), "target:value size:value data:data usage:value");
});

Deno.test("planOf() returns outputs and leaves out the room for them", () => {
  assertEquals(roles("glGenTextures"), "n:value textures:out");
  assertEquals(roles("glGetShaderInfoLog"), "shader:value bufSize:room length:used infoLog:outText");
  assertEquals(roles("eglChooseConfig"), "dpy:value attrib_list:attribs configs:fill config_size:room num_config:used");
  assertEquals(
    roles("glGetProgramResourceiv"),
    "program:value programInterface:value index:value propCount:count props:array count:value length:used params:out",
  );
});
