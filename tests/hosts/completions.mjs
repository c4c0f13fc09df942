// Asks VS Code's JSON language service about documents; prints its answers as JSON.
// node completions.mjs PACKAGES, where PACKAGES is a folder node_modules.
// Standard input is a JSON list of {uri, text, offset}.
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const load = createRequire(`${process.argv[2]}/`);
const { getLanguageService, TextDocument } = load("vscode-json-languageservice");
const service = getLanguageService({
  schemaRequestService: (uri) => readFile(new URL(uri), "utf8"),
  workspaceContext: { resolveRelativePath: (path, from) => new URL(path, from).toString() },
});
const answers = [];
for (const { uri, text, offset } of JSON.parse(readFileSync(0, "utf8"))) {
  const document = TextDocument.create(uri, "json", 1, text);
  const parsed = service.parseJSONDocument(document);
  const { items } = await service.doComplete(document, document.positionAt(offset), parsed);
  const problems = await service.doValidation(document, parsed);
  answers.push({
    texts: Object.fromEntries(items.map((each) => [each.label, each.insertText])),
    problems: problems.map((each) => each.message),
  });
}
console.log(JSON.stringify(answers));
