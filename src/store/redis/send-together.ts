import { Cluster, type Redis } from "ioredis";

/**
 * Output batching: what is sent from the first call on in one turn of the event loop leaves in one write for each connection.
 * The system call is most of what a command costs. Unlike ioredis's own pipelining it leaves each command what it is.
 */
export function sendingTogether(redis: Redis | Cluster): () => void {
  let isHeld = false;
  return () => {
    if (isHeld) return;
    isHeld = true;
    const sockets = connectionsOf(redis).map(({ stream }) => stream);
    for (const socket of sockets) socket?.cork();
    // Right behind the events that this turn of the loop has brought, whose commands are all here then.
    setImmediate(() => {
      isHeld = false;
      for (const socket of sockets) socket?.uncork();
    });
  };
}

/** Each connection has its socket from the moment that it begins to connect. */
function connectionsOf(redis: Redis | Cluster): readonly { readonly stream?: Redis["stream"] }[] {
  return redis instanceof Cluster ? redis.nodes() : [redis];
}
