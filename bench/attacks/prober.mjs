import { readFileSync } from "node:fs";
import { request } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

/**
 * Asks for the health of a server again and again, in a thread of its own, and remembers the longest wait: by the clock, and in
 * CPU time of the server's main thread, which says how long it would be on a machine with nothing else to do.
 */
let longest = { ms: 0, cpuMs: 0 };
let began = now();
let waiting = false;

function now() {
  const [nanoseconds] = readFileSync(`/proc/${workerData.pid}/task/${workerData.pid}/schedstat`, "utf8").split(" ");
  return { ms: performance.now(), cpuMs: Number(nanoseconds) / 1e6 };
}

function take() {
  const { ms, cpuMs } = now();
  longest = { ms: Math.max(longest.ms, ms - began.ms), cpuMs: Math.max(longest.cpuMs, cpuMs - began.cpuMs) };
}

function ask() {
  began = now();
  waiting = true;
  const asked = request(`${workerData.url}/unloop/healthz`, { agent: false, timeout: 120_000 }, (answer) => {
    answer.resume();
    answer.on("end", next);
  });
  asked.on("error", next);
  asked.end();
}

function next() {
  waiting = false;
  take();
  setTimeout(ask, 5);
}

parentPort.on("message", (what) => {
  if (what === "reset") {
    longest = { ms: 0, cpuMs: 0 };
    began = now();
    return;
  }
  if (waiting) take();
  parentPort.postMessage(longest);
});
ask();
