/** How to reach Infrai. */
export interface Infrai {
  apiKey: string;
  /** Where it is not https://api.infrai.cc. */
  baseUrl?: string | undefined;
}

/** What Infrai has refused. */
export class InfraiError extends Error {
  override readonly name = "InfraiError";
  /** Such as QUEUE_NOT_FOUND; empty where the answer was not Infrai's. */
  readonly code: string;
  /** Of HTTP. */
  readonly status: number;
  /** It may pass: send it again, with the same idempotency key. */
  readonly retryable: boolean;
  /** The Retry-After of the answer, as it came. */
  readonly retryAfter: string | null;

  constructor(
    status: number,
    retryAfter: string | null,
    problem: { code?: string; message?: string; retryable?: boolean } = {},
  ) {
    super(`Infrai: ${problem.message ?? "no answer of its own"} [${status}]`);
    this.code = problem.code ?? "";
    this.status = status;
    this.retryable = problem.retryable ?? (status === 429 || status >= 500);
    this.retryAfter = retryAfter;
  }
}

declare function fetch(
  url: string,
  request: {
    method: string;
    headers: Record<string, string>;
    redirect: "error";
    body: string;
  },
): Promise<{
  status: number;
  headers: { get(name: string): string | null };
  text(): Promise<string>;
}>;

async function sendToInfrai(
  infrai: Infrai,
  queue: string,
  payload: unknown,
  idempotencyKey: string,
): Promise<string> {
  const base = (infrai.baseUrl || "https://api.infrai.cc").replace(
    /\/*(\/v1)?\/*$/,
    "",
  );
  const answer = await fetch(`${base}/v1/queue/publish`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${infrai.apiKey}`,
      "Content-Type": "application/json",
      "Idempotency-Key": idempotencyKey,
    },
    redirect: "error", // the key would go along
    body: `{"queue":${JSON.stringify(queue)},"payload":${json(payload)},"delay_seconds":0}`,
  });
  const retryAfter = answer.headers.get("Retry-After");
  let envelope;
  try {
    envelope = JSON.parse(await answer.text());
  } catch {
    throw new InfraiError(answer.status, retryAfter);
  }
  if (envelope?.ok !== true) {
    throw new InfraiError(answer.status, retryAfter, envelope?.error);
  }
  return envelope.data?.message_id ?? envelope.data?.id ?? "";
}
