/** What a filter is started with, and the limits that keep it from hurting anyone else. */
import type { LogLevel } from './abi.ts'

export interface FilterOptions {
  /** Name of the filter: part of its metrics' names. */
  readonly name: string
  /** Answer to the property `plugin_root_id`, by which SDKs choose the root context; the name. */
  readonly rootId?: string
  /** Answer to the property `plugin_vm_id`; empty. */
  readonly vmId?: string
  /** Configuration that `proxy_on_configure` can read. */
  readonly configuration?: string | Uint8Array
  /** Configuration that `proxy_on_vm_start` can read. */
  readonly vmConfiguration?: string | Uint8Array
  /** Further properties by their path, segments joined by a dot. */
  readonly properties?: Readonly<Record<string, string>>
  /** Environment variables that WASI shows; none. */
  readonly environment?: Readonly<Record<string, string>>
  /** Definitions above it are refused like in a full zone, and counted; 10,000. */
  readonly metricsPerFilterLimit?: number
}

/** Limits of a module: of its own file, and of the memory it may grow to. */
export interface ModuleLimits {
  /** 64 MiB. */
  readonly moduleBytesLimit?: number
  /** Pages of 64 KiB that a filter's memory may have, whatever it declares; 1,024. */
  readonly memoryPagesLimit?: number
}

export const METRICS_PER_FILTER = 10_000
export const MODULE_BYTES = 67_108_864
export const MEMORY_PAGES = 1_024
/** Entries of all tables of a filter, at 20 to 30 bytes each of the process's own heap. */
export const TABLE_ENTRIES = 1_000_000
/** The most that one filter's body, header map or configuration may hold: 16 MiB. */
export const BUFFER_BYTES = 16_777_216
/** Instances that may be built within a second after traps or timeouts. */
export const STARTS_PER_SECOND = 10
/** Log lines of a filter that are passed on within a second; the others are counted. */
export const LOG_LINES_PER_SECOND = 1_000
/** A longer line is cut. */
export const LOG_LINE_BYTES = 4_096
/** Time that a call into a filter may take before its thread is ended, ms. */
export const CALL_TIMEOUT_MS = 1_000

export interface FilterLogLine {
  readonly level: LogLevel
  readonly text: string
}
