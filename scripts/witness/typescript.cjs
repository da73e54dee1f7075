// Print {path: [[kind, name, name line, first line, last line], ...]} for the paths given as a JSON list on stdin.
"use strict";

const fs = require("fs");
const ts = require(process.argv[2]);

const NAMED = new Map([
  [ts.SyntaxKind.FunctionDeclaration, "function"],
  [ts.SyntaxKind.ClassDeclaration, "class"],
  [ts.SyntaxKind.InterfaceDeclaration, "interface"],
  [ts.SyntaxKind.TypeAliasDeclaration, "type"],
  [ts.SyntaxKind.EnumDeclaration, "enum"],
  [ts.SyntaxKind.MethodDeclaration, "method"],
  [ts.SyntaxKind.MethodSignature, "method"],
  [ts.SyntaxKind.GetAccessor, "method"],
  [ts.SyntaxKind.SetAccessor, "method"],
  [ts.SyntaxKind.Constructor, "constructor"],
]);

function script(path) {
  if (path.endsWith(".tsx")) return ts.ScriptKind.TSX;
  return /\.[mc]?ts$/.test(path) ? ts.ScriptKind.TS : ts.ScriptKind.JSX;
}

function isFunction(value) {
  return value !== undefined && (ts.isArrowFunction(value) || ts.isFunctionExpression(value) || ts.isClassExpression(value));
}

// Members of an object or of a type literal are left out: they may be options handed to a call.
function isMember(node) {
  return ts.isClassLike(node.parent) || ts.isInterfaceDeclaration(node.parent);
}

function described(node) {
  if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && isFunction(node.initializer)) {
    const statement = node.parent.parent;
    const alone = ts.isVariableStatement(statement) && node.parent.declarations.length === 1;
    return ["function", node.name, alone ? statement : node];
  }
  const kind = NAMED.get(node.kind);
  if (kind === undefined || (["method", "constructor"].includes(kind) && !isMember(node))) return null;
  if (kind === "constructor") return [kind, null, node];
  return node.name === undefined ? null : [kind, node.name, node];
}

// Only \n ends a line; the compiler's own count also knows other breaks.
function lines(text) {
  const ends = [];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) ends.push(at);
  return (offset) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[middle] < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}

function definitions(path) {
  const file = ts.createSourceFile(path, fs.readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true, script(path));
  const line = lines(file.text);
  const rows = [];
  const visit = (node) => {
    const found = described(node);
    if (found !== null) {
      const [kind, name, whole] = found;
      const at = name === null ? node.getStart() + node.getText().search(/\bconstructor\b/) : name.getStart();
      rows.push([kind, name === null ? "constructor" : name.getText(), line(at), line(whole.getStart()), line(whole.getEnd())]);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return rows;
}

const found = {};
for (const path of JSON.parse(fs.readFileSync(0, "utf8"))) found[path] = definitions(path);
process.stdout.write(JSON.stringify(found));
