/** Messages of Diagnostics IPC as plain objects (nettrace.md §3); 64 bit numbers are texts. */

/** Events that a session wants of one provider. */
export interface Provider {
  /** Exact name, with case. */
  readonly name: string
  /** Bits of groups of events; a decimal text beyond 2^53. */
  readonly keywords: number | string
  /** 0 to 5. */
  readonly level: number
  /** `key=value;…`; empty for none. */
  readonly arguments: string
  /** Ids that are let through, or held back; of CollectTracing5 and 6. */
  readonly filter?: { readonly enable: boolean; readonly eventIds: readonly number[] }
}

/** Commands that open a session; each has the fields that its layout has. */
export const COLLECT_COMMANDS = [
  'CollectTracing',
  'CollectTracing2',
  'CollectTracing3',
  'CollectTracing4',
  'CollectTracing5',
  'CollectTracing6',
] as const
export type CollectName = (typeof COLLECT_COMMANDS)[number]

export interface CollectCommand {
  readonly message: CollectName
  /** 0; of 5 and 6. */
  readonly sessionType?: number
  /** Events that wait for the reader, MiB. */
  readonly bufferMB: number
  /** 1 = this stream, 0 = an older one. */
  readonly format: number
  /** Whether the runtime's own events follow the end; of 2 and 3. */
  readonly rundown?: boolean
  /** Groups of those events, bits; of 4 and later. */
  readonly rundownKeyword?: string
  /** Whether events have stacks; of 3 and later. */
  readonly stacks?: boolean
  readonly providers: readonly Provider[]
  /** 0 drops the newest events, 1 holds up the program; of 6. */
  readonly bufferMode?: number
}

export type PlainCommand = 'ProcessInfo' | 'ProcessInfo2' | 'ProcessInfo3' | 'ResumeRuntime'

export type IpcCommand =
  | { readonly message: PlainCommand }
  | { readonly message: 'StopTracing'; readonly session: string }
  | CollectCommand

/** Facts that a process tells of itself; the last three are of later replies. */
export interface ProcessFacts {
  /** 1, of ProcessInfo3. */
  readonly version?: number
  readonly pid: string
  /** 16 bytes, hex: the same for as long as the process lives. */
  readonly cookie: string
  readonly commandLine: string
  readonly os: string
  readonly arch: string
  readonly entryAssembly?: string
  readonly clrVersion?: string
  readonly runtimeIdentifier?: string
}

export type ProcessReplyName = 'ProcessInfoReply' | 'ProcessInfo2Reply' | 'ProcessInfo3Reply'

export type IpcReply =
  | { readonly message: 'OK'; readonly session?: string }
  | { readonly message: 'Error'; readonly code: string }
  | ({ readonly message: ProcessReplyName } & ProcessFacts)

/** First bytes of a runtime that has dialled a listener. */
export interface Advertisement {
  readonly message: 'Advertise'
  readonly cookie: string
  readonly pid: string
}

export type IpcMessage = IpcCommand | IpcReply | Advertisement
