/** How a route says no: a status, and an error for the client (api.ts, ApiError). */
import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** Refusal on its way to the client; `onError` turns it into an ApiError. */
export class HttpError extends Error {
  readonly status: ContentfulStatusCode
  readonly code: string
  readonly hint: string | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: ContentfulStatusCode,
    code: string,
    message: string,
    hint?: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.hint = hint
    this.headers = headers
  }
}
