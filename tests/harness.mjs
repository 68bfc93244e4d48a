// The harness's rule, in its own language: node harness.mjs QUESTIONS [DOCS]
// Reads an exported questions.json and says, as JSON, which answerable items a document holds.
// A document stands for one chunk that is the whole of it; JavaScript's own \s folds the text.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const [, , file, docs] = process.argv;
const items = JSON.parse(readFileSync(file, "utf8"));
if (!Array.isArray(items)) throw new Error("not an array");

const fold = (text) => text.replace(/\s+/g, " ");
const held = (source, evidence) => {
  if (typeof evidence !== "string" || evidence.trim() === "") return false;
  const text = readFileSync(join(docs, source), "utf8").replace(/^\ufeff/, "");
  return fold(text).includes(fold(evidence));
};

const report = { items: items.length, holdout: [], unanswerable: [], hit: [], missed: [] };
for (const item of items) {
  for (const key of ["id", "question"]) {
    if (typeof item[key] !== "string" || item[key] === "") throw new Error(`${item.id}: ${key}`);
  }
  if (typeof item.answerable !== "boolean") throw new Error(`${item.id}: answerable`);
  if (item.holdout === true) report.holdout.push(item.id);
  if (!item.answerable) {
    report.unanswerable.push(item.id);
    continue;
  }
  if (item.keyword.toLowerCase() === "") throw new Error(`${item.id}: keyword`);
  const all = item.evidences.map((one) => held(one.source, one.evidence));
  const right = item.evidenceMode === "all" ? all.every(Boolean) : all.some(Boolean);
  (docs && held(item.source, item.evidence) && right ? report.hit : report.missed).push(item.id);
}
console.log(JSON.stringify(report));
