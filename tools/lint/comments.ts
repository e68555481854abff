/** The most words of a sentence in a comment. */
const MOST_WORDS = 40;
/** Words that begin a comment without a subject: a clause in place of a noun, or the verb of somebody unnamed. */
const NO_SUBJECT =
  /^(?:How|Where|Why|What|That|Those|It|Its|There|Of|Which|Who|Whoever|Whose|Somebody|Nobody|Empty|Told|Asked|All of (?:it|them))\b/;

/** The text of a block comment: without stars, examples and tables, and one line for each paragraph, item or tag. */
function paragraphsOf(comment: string): string[] {
  const lines = comment.replace(/```[\s\S]*?(?:```|$)/g, "\n\n").split("\n").map((line) =>
    line.replace(/^\s*\*+ ?/, "").trim()
  );
  const text = lines.map((line) => line === "" ? "\n" : /^(?:[-*@|]|\d+\. )/.test(line) ? `\n${line}` : line).join(" ");
  return text.split("\n").map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("|"));
}

/** Returns what is wrong with the English of a block comment, and what to write instead; `undefined` if nothing is. */
export function commentFault(comment: string): { readonly message: string; readonly hint: string } | undefined {
  const paragraphs = paragraphsOf(comment);
  const first = NO_SUBJECT.exec(paragraphs[0] ?? "")?.[0];
  if (first !== undefined) {
    const hint = 'Name the subject: "The finding that …", "Called with …", "The owner of …"';
    return { message: `Comment begins with "${first}", which has no subject`, hint };
  }
  for (const sentence of paragraphs.flatMap((paragraph) => paragraph.split(/(?<=[.:;!?])\s+/))) {
    const words = sentence.split(/\s+/).length;
    if (words <= MOST_WORDS) continue;
    const message = `Comment has a sentence of ${words} words, more than ${MOST_WORDS}: "${sentence.slice(0, 60)}…"`;
    return { message, hint: "Split the sentence: one thought each" };
  }
  return undefined;
}
