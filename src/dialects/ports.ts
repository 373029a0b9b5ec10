/** Ports of the hub. Dialects that name the same one share it, told apart by first bytes. */

export interface PortSpec {
  /** Prefix of the option that changes it, `textPort`, and its name in reports. */
  readonly name: string
  /** Number unless configured. */
  readonly number: number
}

/** Lines of text, by UDP and TCP. */
export const TEXT_PORT: PortSpec = { name: 'text', number: 8125 }
/** Binary frames, by TCP. */
export const STREAM_PORT: PortSpec = { name: 'stream', number: 5001 }
/** Page, API and all that is served by HTTP. */
export const HTTP_PORT: PortSpec = { name: 'http', number: 4000 }
