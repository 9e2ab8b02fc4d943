import { headerName, LONGEST_TIMER_MS, oneOf, wholeNumber } from "../setting-text.ts";
import type { Setting } from "./setting.ts";

/** Settings of the requests that clients may send. */
export const requestSettings = {
  maxBodyBytes: {
    env: "UNLOOP_MAX_BODY_BYTES",
    limit: true,
    edge: true,
    standard: String(32 * 1024 * 1024),
    ...wholeNumber(1),
    about:
      "Maximum size of a request body; a larger one is answered with 413. All bodies held at once may be three times as large; a request beyond that is answered with 503.",
  },
  unreadable: {
    env: "UNLOOP_UNREADABLE",
    edge: true,
    standard: "pass",
    parse: oneOf(["pass", "refuse"]),
    about:
      "How to treat a request to a guarded API that Unloop cannot read (compressed, not JSON, an unusual spelling of the path): `pass`, or `refuse` if budgets must also hold for hostile clients.",
  },
  tenantHeader: {
    env: "UNLOOP_TENANT_HEADER",
    edge: true,
    standard: undefined,
    parse: headerName,
    about:
      "A request header that separates tenants, in addition to their credentials. It must be set by a gateway, not by clients.",
  },
  clientIdleTimeoutMs: {
    env: "UNLOOP_CLIENT_IDLE_TIMEOUT_MS",
    limit: true,
    standard: "60000",
    ...wholeNumber(1, LONGEST_TIMER_MS),
    about: "How long a client may stall while it sends a request, or leave an answer unread, in milliseconds.",
  },
  maxClientConnections: {
    env: "UNLOOP_MAX_CLIENT_CONNECTIONS",
    limit: true,
    standard: "2048",
    ...wholeNumber(0),
    about: "Maximum number of connections from one client address; 0 means no limit, for use behind a load balancer.",
  },
} as const satisfies Readonly<Record<string, Setting>>;
