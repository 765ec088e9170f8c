// What the TypeScript compiler knows of a project: its symbols, and what each of its calls calls.
//
// node typescript_truth.cjs <the package typescript> <root> <options as JSON> < files, one a line, from the root
// Prints {symbols: [{file, line, kind, name}], calls: [{file, line, column, state, targets: [[file, line, name]]}]}.
// Lines count from 1, columns from 0 in bytes. `line` of a symbol is where it begins, decorators and `export` included;
// that of a target is where its name stands. `state` is `inside`, `outside`, `value` (a parameter or variable that holds
// a function which cannot be named) or `unknown` (the compiler does not know either).
"use strict";
const path = require("path");
const fs = require("fs");
const ts = require(process.argv[2]);
const root = fs.realpathSync(process.argv[3]);
const given = JSON.parse(process.argv[4] || "{}");
const files = fs.readFileSync(0, "utf8").split("\n").filter(Boolean);

const options = {
  noEmit: true, strict: true, skipLibCheck: true, esModuleInterop: true, experimentalDecorators: true,
  allowJs: given.allowJs === true, maxNodeModuleJsDepth: 0, resolveJsonModule: true,
  target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler,
  jsx: ts.JsxEmit.Preserve, lib: ["lib.esnext.full.d.ts"], allowImportingTsExtensions: true,
  ...(given.conditions ? { customConditions: given.conditions } : {}),
  ...(given.paths ? { paths: given.paths, baseUrl: root } : {}),
};
const program = ts.createProgram(files.map((file) => path.join(root, file)), options);
const checker = program.getTypeChecker();
const own = new Map();
for (const file of files) {
  const source = program.getSourceFile(path.join(root, file));
  if (source) own.set(source, file);
}

const lineOf = (source, at) => source.getLineAndCharacterOfPosition(at).line + 1;
const isFunction = (node) => node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));

function bare(node) {
  while (node && (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isNonNullExpression(node) ||
      ts.isSatisfiesExpression(node) || ts.isTypeAssertionExpression(node) || ts.isAwaitExpression(node))) node = node.expression;
  return node;
}

// Symbols.

function statementOf(declaration) {
  const list = declaration.parent;
  if (!ts.isVariableDeclarationList(list) || list.declarations[0] !== declaration) return declaration;
  return ts.isVariableStatement(list.parent) ? list.parent : list;
}

function memberHolder(node) {
  const parent = node.parent;
  if (ts.isInterfaceDeclaration(parent)) return true;
  if (!ts.isTypeLiteralNode(parent)) return false;
  let above = parent.parent;
  while (ts.isIntersectionTypeNode(above)) above = above.parent;
  return ts.isTypeAliasDeclaration(above);
}

function constantObject(node) {
  if (!ts.isObjectLiteralExpression(node)) return false;
  let above = node.parent;
  while (ts.isAsExpression(above) || ts.isSatisfiesExpression(above) || ts.isParenthesizedExpression(above)) above = above.parent;
  if (ts.isExportAssignment(above)) return true;
  return ts.isVariableDeclaration(above) && ts.isVariableStatement(above.parent.parent) &&
    (ts.isSourceFile(above.parent.parent.parent) || ts.isModuleBlock(above.parent.parent.parent));
}

// [kind, name, the node where it begins], or nothing.
function symbolOf(node) {
  const named = node.name && node.name.getText ? node.name.getText() : "";
  const plain = named.replace(/^["'](.*)["']$/, "$1");
  if (ts.isFunctionDeclaration(node)) return ["function", plain || "default", node];
  if (ts.isClassDeclaration(node)) return ["class", plain || "default", node];
  if (ts.isClassExpression(node)) {
    let above = node.parent;
    while (bare(above) !== above) above = above.parent;
    return ts.isVariableDeclaration(above) ? null : ["class", plain || "class", node];
  }
  if (ts.isInterfaceDeclaration(node)) return ["interface", plain, node];
  if (ts.isEnumDeclaration(node)) return ["enum", plain, node];
  if (ts.isTypeAliasDeclaration(node)) return ["type", plain, node];
  if (ts.isModuleDeclaration(node)) {
    if (node.flags & ts.NodeFlags.GlobalAugmentation) return null;
    let name = plain, inner = node;
    if (ts.isModuleDeclaration(node.parent)) return null; // the B of A.B
    while (inner.body && ts.isModuleDeclaration(inner.body)) { inner = inner.body; name += "." + inner.name.text; }
    return ["namespace", name, node];
  }
  if (ts.isConstructorDeclaration(node)) return ["constructor", "constructor", node];
  if (ts.isMethodDeclaration(node) || ts.isGetAccessor(node) || ts.isSetAccessor(node)) {
    if (ts.isTypeLiteralNode(node.parent)) return null;
    return ["method", plain, node];
  }
  if (ts.isMethodSignature(node)) return memberHolder(node) ? ["method", plain, node] : null;
  if (ts.isPropertySignature(node)) {
    return memberHolder(node) && node.type && ts.isFunctionTypeNode(node.type) ? ["method", plain, node] : null;
  }
  if (ts.isPropertyDeclaration(node)) {
    return isFunction(bare(node.initializer)) || (node.type && ts.isFunctionTypeNode(node.type)) ? ["method", plain, node] : null;
  }
  if (ts.isPropertyAssignment(node)) {
    return isFunction(node.initializer) && constantObject(node.parent) ? ["method", plain, node] : null;
  }
  if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name)) {
    const value = bare(node.initializer);
    if (isFunction(value)) return ["function", plain, statementOf(node)];
    if (value && ts.isClassExpression(value)) return ["class", plain, statementOf(node)];
    return ["variable", plain, statementOf(node)];
  }
  // `f.g = function…` of something that the file defines.
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken && isFunction(bare(node.right)) &&
      ts.isPropertyAccessExpression(node.left) && ts.isExpressionStatement(node.parent)) {
    let holder = node.left.expression;
    if (ts.isPropertyAccessExpression(holder) && holder.name.text === "prototype") holder = holder.expression;
    const held = ts.isIdentifier(holder) && checker.getSymbolAtLocation(holder);
    const value = held && held.valueDeclaration;
    const known = value && value.getSourceFile() === node.getSourceFile() &&
      (callable(value) || (ts.isVariableDeclaration(value) && ts.isVariableStatement(value.parent.parent) &&
        !ts.isBlock(value.parent.parent.parent)));
    return known ? ["method", node.left.name.text, node.parent] : null;
  }
  if (ts.isExportAssignment(node) && isFunction(bare(node.expression))) return ["function", "default", node];
  return null;
}

const symbols = [];
function addSymbol(node, source, file) {
  const found = symbolOf(node);
  if (!found) return;
  const [kind, name, whole] = found;
  if (kind === "function" || kind === "method" || kind === "constructor") { // of overloads, the first
    const siblings = node.parent.members || node.parent.statements;
    const at = siblings ? siblings.indexOf(node) : -1;
    if (at > 0 && !ts.isAccessor(node)) {
      const before = siblings[at - 1];
      const earlier = symbolOf(before);
      if (earlier && !before.body && !ts.isAccessor(before) && earlier[1] === name && earlier[0] === kind &&
          !ts.isPropertySignature(before) && !ts.isPropertyDeclaration(before)) return;
    }
  }
  symbols.push({ file, line: lineOf(source, whole.getStart(source)), kind, name });
}

// Calls.

function nameOf(callee) {
  callee = bare(callee);
  if (!callee) return null;
  if (ts.isIdentifier(callee) || callee.kind === ts.SyntaxKind.SuperKeyword) return callee;
  if (ts.isPropertyAccessExpression(callee)) return callee.name;
  return null;
}

function declarationName(node) {
  if (ts.isConstructorDeclaration(node) || ts.isConstructSignatureDeclaration(node)) return declarationName(node.parent);
  if (node.name) return [node.name, node.name.getText().replace(/^["'](.*)["']$/, "$1")];
  if ((ts.isClassExpression(node) || isFunction(node)) && ts.isVariableDeclaration(node.parent)) return declarationName(node.parent);
  if (ts.isClassDeclaration(node) || ts.isFunctionDeclaration(node)) return [node, "default"];
  return [node, ""];
}

function callable(node) {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isMethodSignature(node) || ts.isAccessor(node) ||
      ts.isClassLike(node) || ts.isConstructorDeclaration(node)) return true;
  if (ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isPropertyAssignment(node)) {
    const value = bare(node.initializer);
    if (isFunction(value) || (value && ts.isClassExpression(value))) return true;
  }
  return (ts.isPropertyDeclaration(node) || ts.isPropertySignature(node)) && !!node.type && ts.isFunctionTypeNode(node.type);
}

// `const f = other`, `{f: other}` and `const {f} = other` are followed to what they name.
function followed(symbol, depth) {
  if (!symbol || depth > 5) return symbol;
  if (symbol.flags & ts.SymbolFlags.Alias) return followed(checker.getAliasedSymbol(symbol), depth + 1);
  const declared = symbol.valueDeclaration;
  if (declared && ts.isShorthandPropertyAssignment(declared)) return followed(checker.getShorthandAssignmentValueSymbol(declared), depth + 1);
  if (declared && (ts.isVariableDeclaration(declared) || ts.isPropertyAssignment(declared) || ts.isPropertyDeclaration(declared))) {
    const value = bare(declared.initializer);
    if (value && (ts.isIdentifier(value) || ts.isPropertyAccessExpression(value))) {
      const name = nameOf(value);
      const next = name && checker.getSymbolAtLocation(name);
      if (next && (next.declarations || []).some(callable)) return followed(next, depth + 1);
      if (next && next.flags & ts.SymbolFlags.Alias) return followed(next, depth + 1);
    }
  }
  if (declared && ts.isBindingElement(declared) && ts.isObjectBindingPattern(declared.parent) && !declared.dotDotDotToken) {
    const key = declared.propertyName || declared.name;
    const held = ts.isIdentifier(key) && checker.getTypeAtLocation(declared.parent).getProperty(key.text);
    if (held && (held.declarations || []).some(callable)) return followed(held, depth + 1);
  }
  if (declared && ts.isExportAssignment(declared)) return followed(checker.getSymbolAtLocation(declared.expression), depth + 1);
  return symbol;
}

function place(node) {
  const source = node.getSourceFile();
  const [at, name] = declarationName(node);
  return [own.get(source), lineOf(source, at.getStart(source)), name];
}

function judged(node, callee, isNew) {
  const name = nameOf(callee);
  if (!name) return null;
  let signature;
  try { signature = checker.getResolvedSignature(node); } catch { signature = undefined; }
  let declared = signature && signature.declaration;
  if (name.kind === ts.SyntaxKind.SuperKeyword) {
    const base = checker.getTypeAtLocation(name).symbol || checker.getTypeAtLocation(name).getSymbol();
    return verdict(name, base ? base.declarations || [] : [], declared);
  }
  const symbol = followed(checker.getSymbolAtLocation(name), 0);
  if (!symbol || checker.isUnknownSymbol && checker.isUnknownSymbol(symbol)) return { name, state: "unknown", targets: [] };
  return verdict(name, symbol.declarations || [], declared);
}

function verdict(name, declarations, declared) {
  if (!declarations.length) return { name, state: declared && !own.has(declared.getSourceFile()) ? "outside" : "unknown", targets: [] };
  const inside = declarations.filter((one) => own.has(one.getSourceFile()));
  if (!inside.length) return { name, state: "outside", targets: [] };
  const named = inside.filter(callable);
  if (named.length) return { name, state: "inside", targets: inside.map(place) };
  // A value that holds a function: the function may still have a name.
  const targets = inside.map(place);
  if (declared && own.has(declared.getSourceFile()) && (callable(declared))) {
    return { name, state: "inside", targets: [...targets, place(declared)] };
  }
  return { name, state: "value", targets };
}

const calls = [];
function addCall(node, callee, source, file, isNew) {
  const found = judged(node, callee, isNew);
  if (!found) return;
  const start = found.name.getStart(source);
  const { line, character } = source.getLineAndCharacterOfPosition(start);
  const begin = source.getPositionOfLineAndCharacter(line, 0);
  const column = Buffer.byteLength(source.text.slice(begin, begin + character));
  calls.push({ file, line: line + 1, column, state: found.state, name: found.name.getText(source), targets: found.targets });
}

for (const [source, file] of own) {
  const visit = (node) => {
    addSymbol(node, source, file);
    if (ts.isCallExpression(node) && node.expression.kind !== ts.SyntaxKind.ImportKeyword) addCall(node, node.expression, source, file, false);
    else if (ts.isNewExpression(node)) addCall(node, node.expression, source, file, true);
    else if (ts.isTaggedTemplateExpression(node)) addCall(node, node.tag, source, file, false);
    else if (ts.isJsxOpeningElement(node) || ts.isJsxSelfClosingElement(node)) {
      if (!/^[a-z][^.]*$/.test(node.tagName.getText(source))) addCall(node, node.tagName, source, file, false);
    }
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(source, visit);
}
process.stdout.write(JSON.stringify({ symbols, calls }));
