import { headerName, LONGEST_TIMER_MS, oneOf, wholeNumber } from "../setting-text.ts";
import type { Setting } from "./setting.ts";

/** What clients may send. */
export const requestSettings = {
  maxBodyBytes: {
    env: "UNLOOP_MAX_BODY_BYTES",
    limit: true,
    edge: true,
    standard: String(32 * 1024 * 1024),
    ...wholeNumber(1),
    about: "The largest request body that is read; a larger one is answered with 413.",
  },
  bodyBudgetBytes: {
    env: "UNLOOP_BODY_BUDGET_BYTES",
    limit: true,
    edge: true,
    standard: String(96 * 1024 * 1024),
    ...wholeNumber(1),
    about: "The most bytes of request bodies held at once, in all; a request beyond that is answered with 503.",
  },
  unreadable: {
    env: "UNLOOP_UNREADABLE",
    edge: true,
    standard: "pass",
    parse: oneOf(["pass", "refuse"]),
    about:
      "What becomes of a request to a guarded API that cannot be read (compressed, not JSON, its path spelt in another way): `refuse` it where budgets must hold for hostile clients, too.",
  },
  tenantHeader: {
    env: "UNLOOP_TENANT_HEADER",
    edge: true,
    standard: undefined,
    parse: headerName,
    about:
      "A request header that tells tenants apart, beside their credentials; it must come from a gateway, not from clients.",
  },
  clientIdleTimeoutMs: {
    env: "UNLOOP_CLIENT_IDLE_TIMEOUT_MS",
    limit: true,
    standard: "60000",
    ...wholeNumber(1, LONGEST_TIMER_MS),
    about: "How long a client may fall silent within its request, or leave an answer unread, in milliseconds.",
  },
  maxClientConnections: {
    env: "UNLOOP_MAX_CLIENT_CONNECTIONS",
    limit: true,
    standard: "2048",
    ...wholeNumber(0),
    about: "Connections of one client address at a time; 0 sets no limit, as behind a load balancer.",
  },
} as const satisfies Readonly<Record<string, Setting>>;
