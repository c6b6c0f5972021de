/** Changes an index without end, saying beforehand what it does and afterwards what is committed. Ended by a signal. */

import { writeSync } from "node:fs";
import { FileStorage } from "../../../adapters/node/storage/file-storage.js";
import { openWriter } from "../../../src/api/writer.js";
import { seededRandom } from "../../support/random.js";
import { documentOf, encoder } from "./documents.js";

const [folder, seed] = process.argv.slice(2) as [string, string];
const random = seededRandom(Number(seed));
/** At once, so that a killed process has said what it did. */
const say = (line: string): void => {
  writeSync(1, `${line}\n`);
};

const writer = await openWriter({ storage: new FileStorage(folder), encoder });
say("ready");
for (let n = 0; ; n++) {
  for (let changes = random.whole(1, 4); changes > 0; changes--) {
    const number = random.whole(0, 40);
    const made = Number(seed) * 100 + random.whole(0, 99);
    if (random.next() < 0.25) {
      say(`deleting doc-${number}`);
      await writer.delete([`doc-${number}`]);
    } else {
      say(`adding doc-${number} ${made}`);
      await writer.add([documentOf(number, made)]);
    }
  }
  say(`committed ${await writer.commit()}`);
  if (n % 7 === 3) await writer.compact({ full: n % 2 === 0 });
}
