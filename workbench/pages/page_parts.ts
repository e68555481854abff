import { encodePng } from "../../wsi/consumer/png_file.ts";

/** The page's style: light or dark as the reader's system, from the width of a phone on. */
export const STYLE = `
:root { color-scheme: light dark; --back: #fff; --front: #1a1c20; --pale: #6b7078; --card: #f4f5f7; --line: #d9dce1;
  --mark: #ffd9c2; --strong: #b3400a; }
@media (prefers-color-scheme: dark) { :root { --back: #14161a; --front: #e6e8eb; --pale: #9aa1ab; --card: #1d2026;
  --line: #353a43; --mark: #5c2a10; --strong: #ff9a5c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 75rem; background: var(--back); color: var(--front);
  font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; line-height: 1.3; margin: 0 0 .75rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
pre, .wide { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 6px;
  padding: .6rem .8rem; margin: .4rem 0; }
pre { white-space: pre-wrap; } code, pre, table { font: 13px/1.5 ui-monospace, monospace; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .15rem 1rem; margin: 0; }
dt, figcaption, .note { color: var(--pale); } dd { margin: 0; }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 1rem; }
figure { margin: 0; min-width: 0; } figcaption { display: flex; justify-content: space-between; margin-bottom: .25rem; }
.view { overflow: auto; max-height: 36rem; border: 1px solid var(--line); border-radius: 6px; background: var(--card);
  cursor: zoom-in; }
.stack { position: relative; width: max-content; }
.stack img { display: block; image-rendering: pixelated; width: calc(var(--width) * var(--zoom, 1) * 1px); }
.stack img + img { position: absolute; inset: 0; clip-path: inset(0 0 0 var(--split, 50%)); }
.stack i { position: absolute; top: 0; bottom: 0; left: var(--split, 50%); width: 2px; margin-left: -1px;
  background: var(--strong); pointer-events: none; }
output { font-variant-numeric: tabular-nums; }
:focus-visible { outline: 2px solid var(--strong); outline-offset: 1px; }
.hand { border-top: 1px solid var(--line); padding: .6rem 0; } .hand h3 { font-size: 1rem; margin: 0 0 .3rem; }
.hand h3 span { color: var(--pale); font-weight: normal; } .hand img { display: block; max-width: 100%; max-height: 20rem;
  min-width: min(8rem, 100%); image-rendering: pixelated; border: 1px solid var(--line); border-radius: 6px; }
summary { cursor: pointer; padding: .15rem 0; } .hand .pictures { margin: .4rem 0; }
.wide { max-height: 24rem; overflow: auto; }
.tools { display: flex; gap: .5rem; align-items: center; margin: .5rem 0; } .tools input { flex: 1; min-width: 0; }
button { font: inherit; min-width: 2.4rem; color: inherit; background: var(--card); border: 1px solid var(--line);
  border-radius: 6px; }
input { accent-color: var(--strong); }
table { border-collapse: collapse; white-space: nowrap; } td, th { padding: 0 .6rem 0 0; text-align: left; }
th { color: var(--pale); font-weight: normal; } mark { background: var(--mark); color: var(--strong); }
`;

/** The page's script: the slider, and the zoom of all pictures of a section together. */
export const SCRIPT = `
for (const section of document.querySelectorAll(".image")) {
  const fold = section.closest("details:not([open])");
  if (fold) fold.addEventListener("toggle", () => watch(section), { once: true });
  else watch(section);
}
function watch(section) {
  const views = [...section.querySelectorAll(".view")], slider = section.querySelector("input");
  const width = Number(getComputedStyle(section).getPropertyValue("--width"));
  let zoom = Math.min(16, (views[0].clientWidth - 2) / width);
  const apply = (next, view = views[0], x = view.clientWidth / 2, y = view.clientHeight / 2) => {
    next = Math.max(0.05, Math.min(64, next));
    const left = (view.scrollLeft + x) * next / zoom - x, top = (view.scrollTop + y) * next / zoom - y;
    section.style.setProperty("--zoom", zoom = next);
    for (const each of views) each.scrollTo(left, top);
  };
  const zoomAt = (event, factor) => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    apply(zoom * factor, event.currentTarget, event.clientX - left, event.clientY - top);
  };
  apply(zoom);
  slider.addEventListener("input", () => section.style.setProperty("--split", slider.value + "%"));
  section.querySelector(".in").addEventListener("click", () => apply(zoom * 2));
  section.querySelector(".out").addEventListener("click", () => apply(zoom / 2));
  for (const view of views) {
    view.addEventListener("click", (event) => zoomAt(event, event.shiftKey ? 0.5 : 2));
    view.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoomAt(event, event.deltaY < 0 ? 1.25 : 0.8);
    }, { passive: false });
    view.addEventListener("keydown", (event) => {
      const factor = { "+": 2, "=": 2, "-": 0.5 }[event.key];
      if (factor) apply(zoom * factor, view);
    });
    view.addEventListener("pointermove", (event) => {
      const { left, top } = view.firstElementChild.getBoundingClientRect(), { x, y } = section.dataset;
      const at = [event.clientX - left, event.clientY - top].map((each) => Math.floor(each / zoom));
      section.querySelector("output").value = (Number(x) + at[0]) + ", " + (Number(y) + at[1]);
    });
    view.addEventListener("scroll", () => {
      for (const other of views) if (other !== view) other.scrollTo(view.scrollLeft, view.scrollTop);
    });
  }
}
`;

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Returns text that HTML shows as it is. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ESCAPES[sign]);
}

/** Returns text as it is, in lines. */
export function pre(text: string): string {
  return `<pre tabindex="0">${escaped(text)}</pre>`;
}

/** Returns text that is shown on demand. */
export function folded(title: string, text: string): string {
  return `<details><summary>${escaped(title)}</summary>${pre(text)}</details>`;
}

/** Returns a picture that is part of the page. */
export function imageOf(picture: Parameters<typeof encodePng>[0], name: string): string {
  return pngOf(encodePng(picture), name);
}

/** Returns the picture of a PNG file as a part of the page. */
export function pngOf(file: Uint8Array, name: string): string {
  return `<img alt="${escaped(name)}" src="data:image/png;base64,${file.toBase64()}">`;
}

/** Pictures of one thing, beside each other. */
export interface PictureParts {
  /** The width of the pictures, in pixels. */
  readonly width: number;
  /** The place of the left upper pixel. Default 0. */
  readonly x?: number;
  /** The same, from the top. */
  readonly y?: number;
  /** The names of the two pictures behind the slider. */
  readonly names: readonly [string, string];
  /** The two pictures, as HTML. */
  readonly pictures: readonly [string, string];
  /** The picture of the difference, as HTML. */
  readonly difference: string;
  /** A further picture with its caption. */
  readonly further?: readonly [caption: string, picture: string];
  /** Sentences of HTML about the pictures. */
  readonly notes?: readonly string[];
}

/** Returns two pictures with a slider between them, and others: one zoom for all. The page needs {@linkcode SCRIPT}. */
export function pictureParts(parts: PictureParts): string {
  const { width, x = 0, y = 0, pictures, difference, further, notes = [] } = parts, [one, other] = parts.names;
  return `<div class="image" style="--width: ${width}" data-x="${x}" data-y="${y}">${
    notes.map((each) => `<p class="note">${each}</p>`).join("")
  }
<div class="tools"><span>${one}</span><input type="range" min="0" max="100" value="50" aria-label="between ${one} and ${other}"><span>${other}</span>
<button class="out" aria-label="smaller">−</button><button class="in" aria-label="larger">+</button></div>
<div class="pictures">${figure(`<span>${one}</span><span>${other}</span>`, `${pictures.join("")}<i></i>`)}
${figure("difference<output></output>", difference)}
${further ? figure(...further) : ""}</div>
<p class="note">A click or + makes the pictures larger, Shift and a click or − smaller; so does the wheel with Ctrl.</p></div>`;
}

function figure(caption: string, images: string): string {
  return `<figure><figcaption>${caption}</figcaption><div class="view" tabindex="0"><div class="stack">${images}</div></div></figure>`;
}

/** A page as a whole. */
export interface WholePage {
  /** The title, as text. */
  readonly title: string;
  /** The contents, as HTML. */
  readonly body: string;
  /** Style besides {@linkcode STYLE}. */
  readonly style?: string;
  /** Scripts besides {@linkcode SCRIPT}. */
  readonly script?: string;
}

/** Returns a page that needs no other file and no network, and can reach none. */
export function wholePage({ title, body, style = "", script = "" }: WholePage): string {
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>${escaped(title)}</title><link rel="icon" href="data:,"><style>${STYLE}${style}</style>
${body}
<script>${SCRIPT}${script}</script>
</html>
`;
}
