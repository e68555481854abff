import type { Gl } from "@pumice/gfx/egl";
import * as g from "@pumice/gfx/gl";
import { IDENTITY } from "./matrix.ts";
import { COLOR, NORMAL, TEXEL, VERTEX } from "./mesh.ts";
import { type Part, SKYLIGHT, SUN, SUNLIGHT, type World } from "./world.ts";

const BYTES = 4 * VERTEX;

/** OpenGL ES 1.1: its own light, matrices and textures; a call for each place. */
export function fixedFunction(gl: Gl, { parts, view, projection }: World): () => void {
  gl.glLightModelfv(g.GL_LIGHT_MODEL_AMBIENT, [...SKYLIGHT, 1]);
  gl.glLightfv(g.GL_LIGHT0, g.GL_DIFFUSE, [...SUNLIGHT, 1]);
  gl.glMatrixMode(g.GL_MODELVIEW);
  gl.glLoadMatrixf(view);
  gl.glLightfv(g.GL_LIGHT0, g.GL_POSITION, [...SUN, 0]);
  for (const each of [g.GL_LIGHT0, g.GL_COLOR_MATERIAL, g.GL_NORMALIZE]) gl.glEnable(each);
  gl.glTexEnvi(g.GL_TEXTURE_ENV, g.GL_TEXTURE_ENV_MODE, g.GL_MODULATE);
  const buffers = gl.glGenBuffers(parts.length);
  parts.forEach(({ vertices }, index) => {
    gl.glBindBuffer(g.GL_ARRAY_BUFFER, buffers[index]);
    gl.glBufferData(g.GL_ARRAY_BUFFER, vertices.byteLength, vertices, g.GL_STATIC_DRAW);
  });
  return () =>
    parts.forEach((part, index) => {
      gl.glBindBuffer(g.GL_ARRAY_BUFFER, buffers[index]);
      const [eye, picture] = part.inWorld ? [view, projection] : [IDENTITY, IDENTITY];
      gl.glMatrixMode(g.GL_PROJECTION);
      gl.glLoadMatrixf(picture);
      gl.glMatrixMode(g.GL_MODELVIEW);
      gl.glLoadMatrixf(eye);
      drawPart(gl, part);
    });
}

function drawPart(gl: Gl, { vertices, lit, grainy, places }: Part): void {
  set(gl, g.GL_LIGHTING, lit);
  set(gl, g.GL_TEXTURE_2D, grainy);
  for (const each of [g.GL_VERTEX_ARRAY, g.GL_NORMAL_ARRAY, g.GL_COLOR_ARRAY, g.GL_TEXTURE_COORD_ARRAY]) {
    gl.glEnableClientState(each);
  }
  gl.glVertexPointer(3, g.GL_FLOAT, BYTES, 0);
  gl.glNormalPointer(g.GL_FLOAT, BYTES, 4 * NORMAL);
  gl.glColorPointer(4, g.GL_FLOAT, BYTES, 4 * COLOR);
  gl.glTexCoordPointer(2, g.GL_FLOAT, BYTES, 4 * TEXEL);
  for (const place of places) {
    gl.glPushMatrix();
    gl.glMultMatrixf(place);
    gl.glDrawArrays(g.GL_TRIANGLES, 0, vertices.length / VERTEX);
    gl.glPopMatrix();
  }
}

function set(gl: Gl, capability: number, on: boolean): void {
  if (on) gl.glEnable(capability);
  else gl.glDisable(capability);
}
