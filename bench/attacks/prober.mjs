import { request } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

/** Asks for the health of a server again and again, in a thread of its own, and remembers the longest wait. */
let longest = 0;
let began = performance.now();
let waiting = false;

function ask() {
  began = performance.now();
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
  longest = Math.max(longest, performance.now() - began);
  setTimeout(ask, 5);
}

parentPort.on("message", (what) => {
  if (what === "reset") {
    longest = 0;
    began = performance.now();
  } else parentPort.postMessage(Math.max(longest, waiting ? performance.now() - began : 0));
});
ask();
