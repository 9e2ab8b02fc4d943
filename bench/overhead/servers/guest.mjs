// Loaded before a server that is not ours: it listens on loopback whatever it says itself, and a profile is written when it
// is told to end.
import { Server } from "node:net";

const { listen } = Server.prototype;
Server.prototype.listen = function listenOnLoopback(first, ...rest) {
  if (typeof first === "object" && first !== null && "port" in first)
    return listen.call(this, { ...first, host: "127.0.0.1" }, ...rest);
  const port = Number(first);
  return Number.isNaN(port)
    ? listen.call(this, first, ...rest)
    : listen.call(this, port, "127.0.0.1", ...rest.filter((one) => typeof one === "function"));
};

process.once("SIGTERM", () => process.exit());
