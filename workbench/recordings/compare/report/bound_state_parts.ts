import type { DifferingAction, PieceContents, PieceDifference } from "../finding.ts";
import type { BoundResource } from "../bound_state.ts";
import type { Fields } from "../../state_tracker/fields.ts";
import { escaped, folded, imageOf } from "../../../pages/page_parts.ts";
import { picturesOf } from "./pictures.ts";
import { indexTable, type Table, tableText, vertexTable, wordTable } from "./tables.ts";
import { DRIVERS } from "./text.ts";

/** VK_WHOLE_SIZE as recordings have it. */
const WHOLE = `${2n ** 64n - 1n}`;

/** Returns a part of a page for each buffer and image that a command had in hand. */
export function resourceParts(action: DifferingAction): string[] {
  return action.boundState.resources.map((each) => {
    const { role, name, facts } = each, pieces = action.before.filter(({ piece }) => piece.resource === name);
    return `<div class="hand"><h3>${escaped(role)} <span>${escaped(name)}</span></h3>${
      pieces.map((piece) => piece.piece.image ? picture(piece, facts) : tableText(tableOf(each, piece, action))).join(
        "",
      )
    }${folded(`what ${name} was made from`, JSON.stringify(facts, undefined, 1))}</div>`;
  });
}

/** Both pictures only where rounding made them differ before. */
function picture({ piece, contents }: PieceContents, { baseArrayLayer = 0 }: Fields): string {
  const layers = piece.image!.layers, layer = layers.includes(baseArrayLayer) ? baseArrayLayer : layers[0];
  const { pictures, notes } = picturesOf({ piece, at: { x: 0, y: 0, z: 0, layer } } as PieceDifference, contents);
  const isSame = pictures[0].data.every((byte, index) => byte === pictures[1].data[index]);
  const figures = pictures.slice(0, isSame ? 1 : 2).map((each, index) =>
    `<figure><figcaption>${
      isSame ? `${piece.image!.aspect}, ${each.width} × ${each.height}` : DRIVERS[index]
    }</figcaption>${imageOf(each, escaped(piece.name))}</figure>`
  );
  return `${notes.map((each) => `<p class="note">${each}</p>`).join("")}<div class="pictures">${
    figures.join("")
  }</div>`;
}

function tableOf(
  { role, facts }: BoundResource,
  { contents: [bytes] }: PieceContents,
  { args, boundState }: DifferingAction,
): Table {
  const { offset = "0", range, size, indexType } = facts as Fields, start = Number(offset);
  if (role === "index buffer") {
    const { firstIndex = 0, indexCount = Infinity } = args as Fields;
    return indexTable(indexType, bytes, start, firstIndex, indexCount);
  }
  const binding = /^vertex buffer (\d+)$/.exec(role)?.[1];
  const vertices = binding === undefined ? undefined : vertexTable(boundState.state, Number(binding), bytes, start);
  return vertices ?? wordTable(bytes, start, range === undefined || range === WHOLE ? Number(size) : Number(range));
}
