// The planes on a display's picture: an outline and a name for each layer that is seen.
import { write } from "../../../wsi/web/page/live.js";

/** Outlines from the bottom, so that those above are seen; their names are moved down until none covers another. */
export function drawOutlines(place, { layers, width, height }, colourOf) {
  const seen = layers.filter(({ frame }) => frame !== null).reverse();
  while (place.children.length > seen.length) place.lastElementChild.remove();
  while (place.children.length < seen.length) place.append(makeOutline());
  const scale = place.clientWidth / width;
  seen.forEach((layer, index) => {
    const outline = place.children[index], { left, top, right, bottom } = within(layer.frame, width, height);
    outline.dataset.layer = layer.name;
    outline.dataset.plane = layer.plane ?? (layer.composition === "CLIENT" ? "client" : "");
    outline.dataset.colour = colourOf(layer);
    const percent = (value, whole) => `${100 * value / whole}%`;
    outline.style.left = percent(left, width);
    outline.style.top = percent(top, height);
    outline.style.width = percent(right - left, width);
    outline.style.height = percent(bottom - top, height);
    write(outline.firstElementChild, layer.plane ? `${layer.plane} · ${layer.name}` : nameOf(layer));
  });
  placeNames(place, seen, { width, height, scale });
}

function nameOf({ name, composition }) {
  return composition === "CLIENT" ? `client · ${name}` : name;
}

function makeOutline() {
  const outline = document.createElement("div"), name = document.createElement("span");
  outline.className = "outline";
  outline.append(name);
  return outline;
}

function within({ left, top, right, bottom }, width, height) {
  const cut = (value, most) => Math.max(0, Math.min(most, value));
  return { left: cut(left, width), top: cut(top, height), right: cut(right, width), bottom: cut(bottom, height) };
}

/** Small layers choose first: the names of large ones have room elsewhere. */
function placeNames(place, seen, { width, height, scale }) {
  const area = ({ frame: { left, top, right, bottom } }) => (right - left) * (bottom - top);
  const order = seen.map((_, index) => index).sort((one, other) => area(seen[one]) - area(seen[other]));
  const taken = [], bottomEnd = height * scale;
  for (const index of order) {
    const name = place.children[index].firstElementChild, frame = within(seen[index].frame, width, height);
    const wide = name.offsetWidth, tall = name.offsetHeight;
    const left = Math.max(0, Math.min(frame.left * scale, width * scale - wide));
    const fits = (frame.right - frame.left) * scale >= wide && (frame.bottom - frame.top) * scale >= tall;
    let top = Math.min((fits ? frame.top : frame.bottom) * scale, bottomEnd - tall), step = 1;
    const covers = (other) =>
      left < other.right && left + wide > other.left && top < other.bottom && top + tall > other.top;
    for (let other = taken.find(covers); other; other = taken.find(covers)) {
      top = step > 0 ? other.bottom : other.top - tall;
      if (top + tall > bottomEnd && step > 0) step = -1; // no room below: above then
      if (top < 0) break;
    }
    taken.push({ left, top, right: left + wide, bottom: top + tall });
    name.style.left = `${left - frame.left * scale}px`;
    name.style.top = `${top - frame.top * scale}px`;
  }
}
