// The least that passes requests on in this runtime: node's own objects and `undici.dispatch`, nothing read, nothing parsed.
// The body is gathered first: given the stream, undici takes up to a fifth more. Arguments: its port, the upstream's origin.
import { createServer } from "node:http";
import { Agent } from "undici";

const [port, origin] = process.argv.slice(2);
const agent = new Agent({ connections: 1024, headersTimeout: 600_000, bodyTimeout: 300_000 });
const OWN = new Set(["connection", "keep-alive", "transfer-encoding", "host"]);

/** The fields of a message, as node gives them in a row, without those that belong to one connection. */
function passedOn(fields) {
  const kept = [];
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at].toString();
    if (!OWN.has(name.toLowerCase())) kept.push(name, fields[at + 1].toString());
  }
  return kept;
}

const answerInto = (outgoing) => ({
  onConnect(abort) {
    outgoing.once("close", () => {
      if (!outgoing.writableFinished) abort();
    });
  },
  onHeaders(status, fields, resume) {
    outgoing.on("drain", resume);
    outgoing.writeHead(status, passedOn(fields));
    return true;
  },
  onData: (bytes) => outgoing.write(bytes),
  onComplete: () => outgoing.end(),
  onError: () => outgoing.destroy(),
});

createServer((incoming, outgoing) => {
  const pieces = [];
  incoming.on("data", (bytes) => pieces.push(bytes));
  incoming.on("end", () => {
    const { url: path, method, rawHeaders } = incoming;
    const body = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
    agent.dispatch({ origin, path, method, headers: passedOn(rawHeaders), body }, answerInto(outgoing));
  });
}).listen(Number(port), "127.0.0.1");
