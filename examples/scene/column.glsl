// A hexagonal column, drawn thousands of times. The mesh says where on a column a vertex sits;
// the instance says how large that column is, how it tapers and leans, and what it is made of.

layout(location = 0) in vec4 inShape;   // xz: on the unit hexagon, y: 0 foot, 1 head, w: 1 on the rim, 0 on the cap
layout(location = 1) in vec4 inNormal;  // xyz: of the face
layout(location = 2) in vec4 inPlace;   // xyz: centre of the foot in the world, w: radius
layout(location = 3) in vec4 inForm;    // x: height, y: head radius / radius, z: foot radius / radius, w: turn in radians
layout(location = 4) in vec4 inColour;  // rgb: linear colour of the head, a: glow
layout(location = 5) in vec4 inKind;    // x: lean to +x, y: lean to +z, z: share of strata 0..1, w: bobbing in metres

layout(push_constant) uniform Pass { float mirror; } pass;   // 1: above the sea, -1: its mirror image

struct Vertex { vec3 place; vec3 normal; float below; };

Vertex columnVertex() {
  float bevel = min(0.07 * inPlace.w, 0.2 * inForm.x);
  float radius = inPlace.w * mix(inForm.z, inForm.y, inShape.y);
  float inset = max(radius - bevel * (1.0 - inShape.w), 0.0);
  float height = mix(bevel * inShape.w, inForm.x - bevel * inShape.w, inShape.y);
  vec3 local = vec3(inShape.x * inset, height, inShape.z * inset);

  float slope = inPlace.w * (inForm.z - inForm.y) / inForm.x;
  float side = 1.0 - abs(inNormal.y);
  vec3 normal = normalize(vec3(inNormal.x, inNormal.y + slope * side, inNormal.z));

  float c = cos(inForm.w), s = sin(inForm.w);
  mat3 turn = mat3(c, 0.0, -s, 0.0, 1.0, 0.0, s, 0.0, c);
  vec3 axis = normalize(vec3(inKind.x, 1.0, inKind.y));
  vec3 first = normalize(cross(vec3(0.0, 0.0, 1.0), -axis));
  mat3 lean = mat3(first, axis, cross(first, axis));
  float bob = inKind.w * sin(frame.eye.w * 0.9 + inPlace.x * 1.7 + inPlace.z);

  Vertex result;
  result.place = inPlace.xyz + vec3(0.0, bob, 0.0) + lean * (turn * local);
  result.place.y = max(result.place.y, 0.0);   // what stands in the sea ends at its surface
  result.normal = lean * (turn * normal);
  result.below = inForm.x - height;
  return result;
}
