import ts from "typescript";

/** A parenthesis to write, and where. */
interface Mark {
  readonly at: number;
  readonly text: "(" | ")";
}

/**
 * A bundled file whose functions V8 compiles together with the file, so that
 * Deno's cache of compiled code contains them. V8 compiles other functions at
 * their first call, in each process again, which takes a third of the time to
 * a program's first buffer. V8 compiles a function at once if a parenthesis
 * stands before the function, which no method of a class can have. The functions
 * of the module move to the start of the file, because they can be called before
 * the line where a function stood.
 */
export function compiledAhead(text: string): string {
  const module = ts.createSourceFile("bundled.js", text, ts.ScriptTarget.ESNext, false, ts.ScriptKind.JS);
  const marks: Mark[] = [];
  mark(module, module, marks);
  marks.sort((one, other) => one.at - other.at);
  let ahead = "", rest = "", at = 0, done = 0;
  const upTo = (end: number) => {
    let written = "";
    for (; marks[done]?.at <= end; at = marks[done++].at) written += text.slice(at, marks[done].at) + marks[done].text;
    written += text.slice(at, end);
    at = end;
    return written;
  };
  for (const declared of module.statements.filter(ts.isFunctionDeclaration)) {
    rest += upTo(declared.getStart(module));
    ahead += `var ${declared.name!.text} = (${upTo(declared.end)});\n`;
  }
  return ahead + rest + upTo(text.length);
}

/** Notes parentheses around each function of a module that is an expression and has none. */
function mark(node: ts.Node, module: ts.SourceFile, marks: Mark[]): void {
  ts.forEachChild(node, (child) => {
    const isFunction = ts.isArrowFunction(child) || ts.isFunctionExpression(child);
    if (isFunction && !ts.isParenthesizedExpression(node)) marks.push({ at: child.getStart(module), text: "(" });
    mark(child, module, marks);
    if (isFunction && !ts.isParenthesizedExpression(node)) marks.push({ at: child.end, text: ")" });
  });
}
