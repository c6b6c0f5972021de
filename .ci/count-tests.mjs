/**
 * count-tests.mjs REPORT CHECK FAILED: prints "PASSED FAILED" for a report of Vitest (JSON) or
 * pytest (JUnit XML). Appends the name of every failed test, with the first lines of its message, to
 * the file FAILED: logs of CI are often cut at the top.
 */

import { appendFileSync, readFileSync } from "node:fs";

const MESSAGE_LINES = 3;

const [report, check, failedFile] = process.argv.slice(2);
const text = readFileSync(report, "utf8");
const { passed, failed, failures } = text.startsWith("{") ? vitest(JSON.parse(text)) : junit(text);
for (const { name, message } of failures) {
  const lines = message.trim().split("\n").slice(0, MESSAGE_LINES);
  appendFileSync(failedFile, [`${check}: ${name}`, ...lines.map((line) => `    ${line}`), ""].join("\n"));
}
console.log(passed, failed);

/** A file that could not be loaded counts as one failed test. */
function vitest({ numPassedTests, testResults }) {
  const failures = [];
  for (const { name: file, status, message, assertionResults } of testResults) {
    if (status === "failed" && assertionResults.length === 0) failures.push({ name: file, message });
    for (const test of assertionResults)
      if (test.status === "failed")
        failures.push({ name: `${file}: ${test.fullName}`, message: test.failureMessages.join("\n") });
  }
  return { passed: numPassedTests, failed: failures.length, failures };
}

/** Counts are those of the suites; a report without single tests has no names. */
function junit(xml) {
  const sum = (name) =>
    [...xml.matchAll(new RegExp(`<testsuite [^>]*\\b${name}="(\\d+)"`, "g"))].reduce((n, [, m]) => n + Number(m), 0);
  const failed = sum("errors") + sum("failures");
  const failures = [...xml.matchAll(/<testcase ([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)].flatMap(([, test, content = ""]) => {
    const message = /<(?:failure|error)[ >]([\s\S]*?)<\/(?:failure|error)>/.exec(content)?.[1];
    return message === undefined ? [] : [{ name: /\bname="([^"]*)"/.exec(test)?.[1] ?? test, message }];
  });
  return { passed: sum("tests") - failed - sum("skipped"), failed, failures };
}
