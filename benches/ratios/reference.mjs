// Times the reference parser: node --input-type=module -e THIS -- FILE PIECE RUNS, in the folder where it is installed.
// Prints the median in milliseconds.
import { readFileSync } from "node:fs";
import { GadgetCallParser } from "llmist";

const [file, piece, runs] = process.argv.slice(1);
const text = readFileSync(file, "utf8");
const length = Number(piece);
const times = [];
let events = 0;
for (let run = 0; run < Number(runs); run += 1) {
  const begun = performance.now();
  const parser = new GadgetCallParser();
  for (let at = 0; at < text.length; at += length) {
    for (const _ of parser.feed(text.slice(at, at + length))) events += 1;
  }
  for (const _ of parser.finalize()) events += 1;
  times.push(performance.now() - begun);
}
times.sort((a, b) => a - b);
console.log(times[Math.floor(times.length / 2)]);
