/**
 * count-tests.mjs REPORT CHECK FAILED: prints "PASSED FAILED" for a report of Vitest (JSON) or
 * pytest (JUnit XML). Appends the name of every failed test, with the first lines of its message, to
 * the file FAILED: logs of CI are often cut at the top.
 */

import { appendFileSync, readFileSync } from "node:fs";

const MESSAGE_LINES = 3;

const [report, check, failedFile] = process.argv.slice(2);
const text = readFileSync(report, "utf8");
const { passed, failures } = text.startsWith("{") ? vitest(JSON.parse(text)) : junit(text);
for (const { name, message } of failures) {
  const lines = message.trim().split("\n").slice(0, MESSAGE_LINES);
  appendFileSync(failedFile, [`${check}: ${name}`, ...lines.map((line) => `    ${line}`), ""].join("\n"));
}
console.log(passed, failures.length);

/** A file that could not be loaded counts as one failed test. */
function vitest({ numPassedTests, testResults }) {
  const failures = [];
  for (const { name: file, status, message, assertionResults } of testResults) {
    if (status === "failed" && assertionResults.length === 0) failures.push({ name: file, message });
    for (const test of assertionResults)
      if (test.status === "failed")
        failures.push({ name: `${file}: ${test.fullName}`, message: test.failureMessages.join("\n") });
  }
  return { passed: numPassedTests, failures };
}

function junit(xml) {
  const cases = [...xml.matchAll(/<testcase ([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)];
  const failures = [];
  let passed = 0;
  for (const [, attributes, content = ""] of cases) {
    const failure = /<(?:failure|error)[ >]([\s\S]*?)<\/(?:failure|error)>/.exec(content);
    if (failure) failures.push({ name: /\bname="([^"]*)"/.exec(attributes)?.[1] ?? attributes, message: failure[1] });
    else if (!content.includes("<skipped")) passed++;
  }
  return { passed, failures };
}
