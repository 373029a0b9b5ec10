/**
 * Numbers of the Proxy-Wasm ABI (0.1.0, 0.2.0 and 0.2.1 agree on all of them) that the host and a
 * filter exchange.
 */
export const STATUS = Object.freeze({
  ok: 0,
  notFound: 1,
  badArgument: 2,
  parseFailure: 4,
  invalidMemoryAccess: 6,
  empty: 7,
  casMismatch: 8,
  internalFailure: 10,
  unimplemented: 12,
})

/** Levels in the ABI's order: TRACE 0 … CRITICAL 5. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'critical'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Header maps by their number; 4 to 7 belong to calls that this host does not make. */
export const HEADER_MAPS = [
  'requestHeaders',
  'requestTrailers',
  'responseHeaders',
  'responseTrailers',
] as const
export type HeaderMapName = (typeof HEADER_MAPS)[number]

export const BUFFER = Object.freeze({
  requestBody: 0,
  responseBody: 1,
  vmConfiguration: 6,
  pluginConfiguration: 7,
})

/** Callbacks that the host makes; filters may export others, which never run here. */
export const CALLBACKS = [
  'proxy_on_context_create',
  'proxy_on_vm_start',
  'proxy_on_configure',
  'proxy_on_tick',
  'proxy_on_queue_ready',
  'proxy_on_request_headers',
  'proxy_on_request_body',
  'proxy_on_request_trailers',
  'proxy_on_response_headers',
  'proxy_on_response_body',
  'proxy_on_response_trailers',
  'proxy_on_done',
  'proxy_on_log',
  'proxy_on_delete',
] as const
export type CallbackName = (typeof CALLBACKS)[number]

/** Answer of a header or body callback: go on, or wait for `proxy_continue_stream`. */
export const ACTION_CONTINUE = 0

export const ABI_EXPORTS = [
  ['proxy_abi_version_0_1_0', '0.1.0'],
  ['proxy_abi_version_0_2_0', '0.2.0'],
  ['proxy_abi_version_0_2_1', '0.2.1'],
] as const
export type AbiVersion = (typeof ABI_EXPORTS)[number][1]

/** Host whose answers a filter gets where the real hosts differ (README, host modes). */
export type HostMode = 'spec' | 'nginx' | 'envoy'
