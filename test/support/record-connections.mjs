/**
 * `node --import` this file: appends a line to the file VERBATIM_CONNECTIONS for each connection, name
 * look-up and datagram of the process, of its threads and of the processes that it starts, and
 * refuses it. Sockets of the file system are allowed.
 */

import dgram from "node:dgram";
import dns from "node:dns";
import { appendFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";

function refuse(what) {
  appendFileSync(process.env.VERBATIM_CONNECTIONS, `${what} by ${process.argv.slice(1).join(" ")}\n`);
  throw new Error(`refused: ${what}`);
}

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...args) {
  const [first] = Array.isArray(args[0]) ? args[0] : args;
  const path = typeof first === "string" ? first : first?.path;
  if (path === undefined) refuse(`a connection to ${JSON.stringify(first)}`);
  return connect.apply(this, args);
};
for (const api of [dns, dns.promises]) {
  for (const name of ["lookup", "resolve", "resolve4", "resolve6"]) {
    api[name] = (host) => refuse(`a look-up of ${host}`);
  }
}
dgram.createSocket = () => refuse("a datagram");
syncBuiltinESMExports();
