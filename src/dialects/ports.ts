/** Ports of the hub; dialects that name the same one share it, told apart by their first bytes. */

export interface PortSpec {
  /** Prefix of the option that changes it, `textPort`, and its name in reports. */
  readonly name: string
  /** Number unless configured. */
  readonly number: number
}

/** Where a listener is bound, or should be and why it is not. */
export interface BoundAddress {
  readonly host: string
  readonly port: number
  /** Why nothing listens there (yet). */
  readonly error?: string
}

/** Addresses by the name of the port. */
export type PortAddresses = Readonly<Record<string, BoundAddress>>

/** Lines of text, by UDP and TCP. */
export const TEXT_PORT: PortSpec = { name: 'text', number: 8125 }
/** Binary frames, by TCP. */
export const STREAM_PORT: PortSpec = { name: 'stream', number: 5001 }
/** Page, API and all that is served by HTTP. */
export const HTTP_PORT: PortSpec = { name: 'http', number: 4000 }
